"""The next time of each reminder and schedule, kept by NATS."""

from datetime import UTC, datetime

import structlog

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Permanent
from agent_contracts.ids import AgentId
from agent_contracts.log.record.records import NewMessage
from agent_contracts.log.subjects import ALL_REMINDER_TIMERS, ALL_SCHEDULE_TIMERS
from agent_contracts.log.timers import ScheduledTimer, encode_timer, read_scheduled
from agent_platform.entities.entity import EntityKey
from agent_platform.log.port import Log
from agent_platform.process.clock import rfc3339
from agent_platform.process.stop_points import stop_point

_NOTHING = EntityKey(AgentId("clock"), EntityKind.SCHEDULE, "clock")
"""Names no schedule: nothing is done when its timer comes due."""
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)

log = structlog.get_logger()


class ScheduleTimers:
    """Sets timers. A timer that nobody needs any more is left: when it comes due, nothing is called for."""

    def __init__(self, schedule: Log) -> None:
        """`schedule` is the stream that keeps them."""
        self._schedule = schedule

    async def arm(self, key: EntityKey, due: datetime) -> None:
        """Set an entity's timer, in place of the one before. Setting one twice is harmless."""
        timer = timer_of(key, rfc3339(due))
        await stop_point("scheduler.arming")
        await self._schedule.append(NewMessage(timer.subject, encode_timer(timer), timer.headers()))

    async def wake(self) -> int:
        """Make NATS look at all its timers now: it waits for the next of them by a steady clock, and doesn't
        notice that the clock was set. Returns 0: nothing failed."""
        await self.arm(_NOTHING, _LONG_AGO)
        return 0

    async def armed(self) -> dict[str, str]:
        """What is set now: the times (RFC 3339) by subject."""
        found: dict[str, str] = {}
        for message in await self._schedule.last_of_each(ALL_REMINDER_TIMERS, ALL_SCHEDULE_TIMERS):
            try:
                found[message.subject] = read_scheduled(message.data).due_at
            except Permanent as error:
                log.error("timer.unreadable", subject=message.subject, reason=error.message)
        return found


def timer_of(key: EntityKey, due_at: str) -> ScheduledTimer:
    """The timer of a reminder or schedule."""
    reminds = key.kind is EntityKind.REMINDER
    return ScheduledTimer(key.agent_id, "reminder" if reminds else "schedule", key.name, due_at)


def key_of(timer_subject: str) -> EntityKey:
    """The reminder or schedule for which a timer is set on this subject."""
    _, kind, agent, name = timer_subject.split(".", 3)
    return EntityKey(AgentId(agent), EntityKind(kind), name)
