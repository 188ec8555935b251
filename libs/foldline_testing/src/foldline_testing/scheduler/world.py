"""An agent with reminders and schedules, and schedulers that serve it; in memory, if no log is given."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import msgspec

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import StoredReminder, StoredSchedule, StoredScheduleRun
from agent_contracts.event import Event
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.record.records import decode
from agent_contracts.log.record.session_subjects import SessionKey, subject_of
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.union import SessionEvent
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.schedules.runs import run_now, runs_key
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Change, Entity, EntityKey, EntityWriter, Write
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.port import Log
from agent_platform.observing.metrics import Metrics
from agent_platform.process.clock import SystemClock, rfc3339
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.origins import origin_of
from scheduler import reminders, schedules
from scheduler.entity_writes import EntityWrites
from scheduler.numbers import Numbers
from scheduler.reconciler import Reconciler
from scheduler.settings import SchedulerSettings
from scheduler.standing_since import StandingSince
from scheduler.timers import ScheduleTimers
from session_domain.domain.state import SessionState
from session_domain.sessions import FoldedSessions

AGENT = AgentId("default")
SESSION = SessionId("s_1")
START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
"""A Monday."""
R, T = "r_1", "t_1"

V = TypeVar("V")


class SetClock(SystemClock):
    """Shows what it is set to."""

    def __init__(self, at: datetime = START) -> None:
        self.at = at

    def now(self) -> datetime:
        """What it is set to."""
        return self.at

    def passes(self, **time: float) -> None:
        """So much time passes."""
        self.at += timedelta(**time)


class Scheduler:
    """What one process of the service does, called by hand. `logs` are those of `EntityWrites`."""

    def __init__(
        self,
        logs: tuple[Log, Log],
        timers: Log,
        clock: SystemClock,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        log, bounded = logs
        entities = Entities(log, clock, event_sources.SCHEDULER)
        sessions, numbers = FoldedSessions(log), Numbers(Metrics())
        writing, armed = EntityWrites(log, bounded, clock), ScheduleTimers(timers)
        since = StandingSince(entities, reminders.what_counts)
        effective = EffectiveSettings(entities, SchedulerSettings(timezone="UTC"))
        self.reminders = reminders.ReminderRunner(writing, sessions, since, armed, numbers, effective)
        since = StandingSince(entities, schedules.what_counts)
        self.schedules = schedules.ScheduleRunner(writing, sessions, since, armed, numbers, effective)
        self.reconciling = Reconciler(entities, armed, clock, self.reminders, self.schedules, steady)


class World:
    """A log with an agent, written to as people, agents and engines do."""

    def __init__(
        self, log: Log | None = None, timers: Log | None = None, clock: SystemClock | None = None
    ) -> None:
        self.log = log or MemoryLog()
        self.timers = timers or MemoryLog()
        self.clock = clock or SetClock()
        self.entities = Entities(self.log, self.clock, event_sources.GATEWAY)

    def scheduler(
        self, steady: Callable[[], float] = time.monotonic, *, bounded: Log | None = None
    ) -> Scheduler:
        """As another process would run it. What begins something is written to `bounded`, if it is given."""
        return Scheduler((self.log, bounded or self.log), self.timers, self.clock, steady)

    async def agent(self) -> None:
        """The agent comes into being."""
        value = {"name": "Default", "created_at": rfc3339(self.clock.now())}
        await self.write(EntityKey(AGENT, EntityKind.AGENT, AGENT), value)

    async def session(self, session_id: SessionId = SESSION) -> None:
        """A session that a person began."""
        await self.happens(session_id, inputs.Created(AGENT, 1_000, title="t"))

    async def write(self, key: EntityKey, value: Any) -> Entity:
        """A person's edit."""
        changed = await self.entities.write(key, _json(value), self._person())
        assert changed.after is not None
        return changed.after

    async def remind(self, name: str = R, **given: Any) -> StoredReminder:
        """A reminder, in an hour if nothing else is said."""
        at = rfc3339(self.clock.now() + timedelta(hours=1))
        made = StoredReminder(**{"session_id": SESSION, "at": at, "message": "call Ann", **given})
        await self.write(reminder_key(name), made)
        return made

    async def schedule(self, name: str = T, **given: Any) -> StoredSchedule:
        """A schedule, hourly if nothing else is said."""
        when = {} if "at" in given else {"cron": "0 * * * *"}
        made = StoredSchedule(**{"name": "News", "task": "read the news", **when, **given})
        await self.write(schedule_key(name), made)
        return made

    async def delete(self, key: EntityKey) -> None:
        """A person deletes it."""
        await self.entities.delete(key, self._person())

    async def run_by_hand(self, name: str = T) -> None:
        """A person asks for a run."""

        def decide(before: Entity | None) -> Change:
            last = None if before is None else msgspec.convert(before.value, StoredScheduleRun)
            return Write(_json(run_now(last, self.clock.now())))

        await self.entities.change(runs_key(AGENT, name), self._person(), decide)

    async def happens(self, session_id: SessionId, event: SessionEvent) -> int:
        """An event of a session, written by whoever usually does."""
        key = SessionKey(AGENT, session_id)
        state = await FoldedSessions(self.log).newest(key)
        if isinstance(event, ev.Decision.__args__):
            origin = Origin(event_sources.ENGINE, prev=state.last_sequence)
        elif isinstance(event, results.ModelCallCompleted):
            origin = origin_of(event)
        else:
            origin = Origin(event_sources.GATEWAY, Actor.USER)
        message, _ = event_message(event, subject_of(event, key), origin, self.clock)
        return await self.log.append(message)

    async def fails(self, session_id: SessionId, message: str = "no model") -> None:
        """A session ends in error."""
        await self.happens(session_id, ev.Failed("broken", message))

    async def answers(self, session_id: SessionId) -> None:
        """The model answers, and the turn is over."""
        state = await self.state(session_id)
        call = CallId(f"m{state.position + 1:06d}")
        joins = tuple(one.sequence for one in state.queue)
        await self.happens(session_id, ev.TurnStarted())
        await self.happens(session_id, ev.ModelCallRequested(call, joins=joins))
        answer = results.ModelCallCompleted(call, "done", results.Usage(1, 1), "m", "0" * 64, 1, ())
        await self.happens(session_id, answer)
        await self.happens(session_id, ev.BecameIdle())

    async def state(self, session_id: SessionId) -> SessionState:
        """A session folded by a reader that knows nothing yet."""
        return await FoldedSessions(self.log).newest(SessionKey(AGENT, session_id))

    async def events(self, session_id: SessionId = SESSION) -> list[Event]:
        """Everything in a session's stream."""
        return [decode(one).event async for one in self.log.read(SessionKey(AGENT, session_id).everything)]

    async def begun(self) -> list[inputs.Created]:
        """The sessions that schedules began, in order."""
        found = [decode(one).event async for one in self.log.read("ses.*.*.*.in.created")]
        return [one for one in found if one.begun_by is not None]

    async def begun_at(self) -> list[tuple[str, datetime, datetime]]:
        """Of each session that a schedule began: the schedule, when it was due, and when it began."""
        read = [decode(one) async for one in self.log.read("ses.*.*.*.in.created")]
        return [
            (by.name, datetime.fromisoformat(by.due_at), datetime.fromisoformat(one.envelope.time))
            for one in read
            if (by := one.event.begun_by) is not None
        ]

    async def reminder(self, name: str = R) -> StoredReminder | None:
        """The reminder now."""
        return _value(await self.entities.current(reminder_key(name)), StoredReminder)

    async def kept_schedule(self, name: str = T) -> StoredSchedule | None:
        """The schedule now."""
        return _value(await self.entities.current(schedule_key(name)), StoredSchedule)

    async def last_run(self, name: str = T) -> StoredScheduleRun | None:
        """The last that became of a schedule."""
        return _value(await self.entities.current(runs_key(AGENT, name)), StoredScheduleRun)

    async def runs(self, name: str = T) -> Sequence[StoredScheduleRun]:
        """All that became of a schedule, oldest first."""
        history = await self.entities.history(runs_key(AGENT, name))
        return [msgspec.convert(one.event.value, StoredScheduleRun) for one in history]  # type: ignore[union-attr]

    async def armed(self) -> dict[str, str]:
        """The times that are waited for, by subject."""
        return await ScheduleTimers(self.timers).armed()

    def _person(self) -> EntityWriter:
        return EntityWriter.user(self.clock.new_id("e"))


def reminder_key(name: str = R) -> EntityKey:
    """Where a reminder stands."""
    return EntityKey(AGENT, EntityKind.REMINDER, name)


def schedule_key(name: str = T) -> EntityKey:
    """Where a schedule stands."""
    return EntityKey(AGENT, EntityKind.SCHEDULE, name)


def _json(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def _value(entity: Entity | None, shape: type[V]) -> V | None:
    return None if entity is None else msgspec.convert(entity.value, shape)
