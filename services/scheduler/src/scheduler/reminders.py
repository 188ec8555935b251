"""Reminders: each is told to its session once, when it is time."""

import asyncio
import contextlib
from datetime import datetime
from typing import Literal
from weakref import WeakValueDictionary

import msgspec
import structlog

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import StoredReminder
from agent_contracts.errors import Conflict, LogCorrupt, Transient
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.log.record.records import Expect, event_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.inputs import ReminderDue
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.schedules.lateness import lateness
from agent_domain.schedules.zones import checked_zone
from agent_platform.entities.entity import Entity, EntityKey
from agent_platform.process.clock import rfc3339
from agent_platform.process.stop_points import stop_point
from scheduler.domain.decide import ScheduleWait, next_reminder, put_right, reminder_step, takes_reminders
from scheduler.entity_writes import CurrentEntity, EntityWrites
from scheduler.numbers import Numbers
from scheduler.settings import SchedulerSettings
from scheduler.standing_since import StandingSince
from scheduler.timers import ScheduleTimers
from session_domain.domain.state import SessionState
from session_domain.sessions import FoldedSessions

_ATTEMPTS = 50
"""How often a reminder is judged anew, since its session went on meanwhile."""

log = structlog.get_logger()


def what_counts(value: Json) -> object:
    """Of a reminder's value: whether it is to come, and when."""
    return (value.get("at"), value.get("session_id"), value.get("done")) if isinstance(value, dict) else None


class ReminderRunner:
    """Tells reminders, or says that they were missed. Any number may run, and be killed: the input of the
    session and what became of the reminder are written together, if both are as they were judged."""

    def __init__(  # noqa: PLR0913 — each is a port
        self,
        writing: EntityWrites,
        sessions: FoldedSessions,
        since: StandingSince,
        timers: ScheduleTimers,
        numbers: Numbers,
        settings: EffectiveSettings[SchedulerSettings],
    ) -> None:
        self._writing = writing
        self._sessions = sessions
        self._since = since
        self._timers = timers
        self._numbers = numbers
        self._settings = settings
        self._turns: WeakValueDictionary[SessionKey, asyncio.Lock] = WeakValueDictionary()

    async def advance(self, agent_id: AgentId, name: str, came_due: str | None = None) -> None:
        """Tell a reminder, give it up, or wait for its time, as it calls for now. Harmless when repeated.

        `came_due` is the time for which its timer came: `Transient` where that is not over by this clock.
        """
        key = EntityKey(agent_id, EntityKind.REMINDER, name)
        for attempt in range(_ATTEMPTS):
            found = await self._writing.find(key, StoredReminder)
            if found.entity is None or found.value is None or found.value.done is not None:
                return
            now = self._writing.now()
            since = await self._since.of(found.entity, now)
            right = await self._put_right(found.entity, found.value, now)
            if right is not None:
                with contextlib.suppress(Conflict):  # either way, it is judged anew
                    await self._writing.append(self._writing.entity(found, right))
                continue
            match reminder_step(found.value, since.time, fresh=since.fresh, now=now):
                case None:
                    return
                case ScheduleWait(until):
                    if came_due == found.value.at:
                        raise early((until - now).total_seconds())
                    await self._timers.arm(key, until)
                    if (await self._writing.find(key, StoredReminder)).last_sequence == found.last_sequence:
                        return
                case step:
                    try:
                        await self._end(found, found.value, tell=step == "tell")
                    except Conflict:
                        if attempt:  # it may have been erased: what is known of it would never fit
                            self._sessions.forget(found.value.session_id)
                        continue
                    return
        raise Transient(f"reminder {name}: its session is too busy to be told", kind="conflict")

    async def _put_right(
        self, entity: Entity, reminder: StoredReminder, now: datetime
    ) -> StoredReminder | None:
        if reminder.again is None:
            return None
        replaced = event_of(await self._writing.log.get(entity.replaced)) if entity.replaced else None
        before = None if replaced is None else datetime.fromisoformat(replaced.envelope.time)
        return put_right(reminder, datetime.fromisoformat(entity.time), before, now)

    async def _end(
        self, found: CurrentEntity[StoredReminder], reminder: StoredReminder, *, tell: bool
    ) -> None:
        key = found.key
        session = SessionKey(key.agent_id, reminder.session_id)
        async with self._turns.setdefault(session, asyncio.Lock()):
            done = await self._written(found, reminder, session, tell=tell)
        await stop_point("scheduler.told")
        self._numbers.fired("reminder", done, reminder.at, self._writing.now())
        log.info("reminder.due", agent_id=key.agent_id, reminder=key.name, outcome=done)

    async def _written(
        self,
        found: CurrentEntity[StoredReminder],
        reminder: StoredReminder,
        session: SessionKey,
        *,
        tell: bool,
    ) -> Literal["told", "missed"]:
        state = await self._folded(session) if tell else None
        told = state is not None and takes_reminders(state)
        done: Literal["told", "missed"] = "told" if told else "missed"
        drafts = [self._writing.entity(found, self._after(reminder, done, goes_on=told or not tell))]
        if told and state is not None:
            outside = found.entity.outside if found.entity is not None else ()
            zone = checked_zone((await self._settings.of(found.key.agent_id)).timezone)
            late = lateness(datetime.fromisoformat(reminder.at), self._writing.now(), zone)
            due = ReminderDue(found.key.name, reminder.message, outside, reminder.quiet, late)
            expected = Expect(session.everything, state.last_sequence)
            drafts.append(self._writing.input(session, due, expected))
        await stop_point("scheduler.telling")
        await self._writing.append(*drafts)
        return done

    async def _folded(self, session: SessionKey) -> SessionState | None:
        """The session now; None for one that lost an event, and so ended in error."""
        try:
            return await self._sessions.newest(session)
        except LogCorrupt as broken:
            log.warning("session.unreadable", session_id=session.session_id, reason=broken.message)
            return None

    def _after(
        self, reminder: StoredReminder, done: Literal["told", "missed"], *, goes_on: bool
    ) -> StoredReminder:
        """The reminder once it came, or didn't: to come again, or over."""
        came = msgspec.structs.replace(reminder, last_at=reminder.at) if done == "told" else reminder
        coming = next_reminder(came, max(self._writing.now(), datetime.fromisoformat(reminder.at)))
        if coming is None or not goes_on:
            return msgspec.structs.replace(reminder, done=done)
        return msgspec.structs.replace(came, at=rfc3339(coming))


def early(seconds: float) -> Transient:
    """A timer came before its time, by this process's clock: it comes again then, or in a minute."""
    return Transient("not yet", kind="early", retry_after=min(max(seconds, 0.01), 60.0))
