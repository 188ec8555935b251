"""Whether what is stored beside the log is there: blobs by the events that name them, other streams by what
they held before."""

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import StoredReminder
from agent_contracts.log.subjects import TIMER_STREAM
from agent_domain.checking.blobs import lost_blobs
from agent_platform.entities.entities import Entities
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Log
from agent_platform.log.sealing.stores import KEYS, REACH, lost_of_stores
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.clock import SystemClock, rfc3339
from foldline.doctor.finding import Finding, ok, problem
from scheduler.timers import ScheduleTimers, timer_of
from session_domain.missing_timers import missing_timers
from session_domain.sessions import FoldedSessions

_SHOWN = 3
_SET_AGAIN = "it is set again within an hour, and at once when Foldline starts: stop it, then foldline up"
_ACCEPT = "To go on without what is lost: stop it, then foldline up --accept-loss"


async def blobs(admin: NatsConnection) -> Finding:
    """Reads the log, and every blob that it names."""
    loss = await lost_blobs(admin)
    if loss:
        text = f"{loss}. Exports and pages go on without them"
        return problem("blobs", text, f"restore a backup (foldline restore). {_ACCEPT}")
    return ok("blobs", f"{loss.checked} that events name, all there and as they were stored")


async def stores(admin: NatsConnection) -> Finding:
    """Keys, waiting timers and wakes: what nothing else tells of."""
    losses = await lost_of_stores(admin)
    if losses:
        to_do = "; ".join(dict.fromkeys(loss.to_do for loss in losses))
        text = "; ".join(map(str, losses))
        return problem("stores", text, f"restore a backup (foldline restore), or: {to_do}. {_ACCEPT}")
    return ok("stores", f"{len(KEYS) + len(REACH)} streams beside the log lack nothing that they had before")


async def timers(admin: NatsConnection) -> Finding:
    """Checks that each session and reminder has the timer that the log says it needs."""
    log, schedule = JetStreamLog(admin), JetStreamLog(admin, stream=TIMER_STREAM)
    of_sessions = await missing_timers(log, schedule, FoldedSessions(log))
    missing = [f"{one.purpose} of session {one.session_id} at {one.due_at}" for one in of_sessions]
    missing += await _of_reminders(Entities(log, SystemClock(), "doctor"), schedule)
    if missing:
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        text = f"NATS lost what waits for its time: {'; '.join(missing[:_SHOWN])}{more}"
        return problem(
            "timers",
            text,
            "it is set again within an hour, and at once when Foldline starts: stop it, then foldline up",
        )
    return ok("timers", "everything that waits for its time is set")


async def _of_reminders(entities: Entities, schedule: Log) -> list[str]:
    armed = await ScheduleTimers(schedule).armed()
    now = rfc3339(SystemClock().now())
    found = []
    for entity in await entities.list_of_everyone(EntityKind.REMINDER):
        reminder = msgspec.convert(entity.value, StoredReminder)
        is_set = timer_of(entity.key, reminder.at).subject in armed
        if reminder.done is None and reminder.at > now and not is_set:
            found.append(f"reminder {entity.key.name} of agent {entity.key.agent_id} at {reminder.at}")
    return found
