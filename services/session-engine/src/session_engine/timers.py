"""The engine's timers: set for what a session waits for, and acted on when they come due."""

import asyncio
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

import msgspec
import structlog
from cachetools import LRUCache

from agent_contracts.errors import Conflict, Failure, Permanent, Transient
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import ALL_RETRIES, ALL_TIMERS
from agent_contracts.log.timers import Timer, decode_timer, encode_timer, read_timer
from agent_contracts.moments import milliseconds_between
from agent_contracts.session_events.inputs import TimerDue
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.port import Log
from agent_platform.observing.telemetry import current_traceparent
from agent_platform.process.clock import Clock, rfc3339
from agent_platform.process.clock_watch import CHECK_S, ClockWatch
from agent_platform.process.interruption import Interruption
from agent_platform.process.stop_points import stop_point
from agent_platform.services.consuming.consumer import Delivery
from session_domain.domain.state import SessionState
from session_domain.domain.timers import timers
from session_domain.missing_timers import missing_timers
from session_domain.sessions import SessionReader
from session_engine.service import DECLARATION

SOURCE = DECLARATION.source
REMEMBERED = 10_000
"""How many timers one process knows to be set as they should be."""
_LOST_EVERY_S = 3600.0
_LOOK_AGAIN_S = 60.0
"""A timer that came early is looked at again after so long at most: clocks jump both ways."""

_NOTHING = Timer(
    AgentId("clock"), SessionId("clock"), "run_timeout", rfc3339(datetime(2000, 1, 1, tzinfo=UTC))
)
"""A timer of no session: nothing is done when it comes due."""
_LEAD_ON = frozenset({"retry", "call_resumes", "child_start"})
"""What a session goes on by. Other timers end something, and may come late."""

log = structlog.get_logger()


class SessionTimers:
    """Sets timers and, when one comes due, tells its session `timer_due`, if that is still called for.

    Setting one twice is harmless, and so is a timer that nobody needs any more: whether it is time is asked
    of the session, folded anew. No timer is ever taken back. `schedule` is the stream that keeps them.
    """

    def __init__(self, schedule: Log, events: Log, sessions: SessionReader, clock: Clock) -> None:
        self._schedule = schedule
        self._events = events
        self._sessions = sessions
        self._clock = clock
        self._known: LRUCache[str, str] = LRUCache(REMEMBERED)

    async def set_for(self, state: SessionState) -> None:
        """Set what the session needs, as far as this process didn't set it before. `Transient` if it can't.

        To be called before what led to `state` is acknowledged: then no timer is lost with this process.
        """
        for timer in timers(state):
            if self._known.get(timer.id) != timer.due_at:
                await stop_point("timers.setting")
                await self._set(timer)

    async def handle(self, delivery: Delivery) -> None:
        """A timer came due: tell its session, set it again for later, or nothing. Harmless when repeated.

        Never early by this process's clock: `Transient` until then. `Permanent` for what is not a timer.
        """
        timer = decode_timer(delivery.message.subject, delivery.message.data)
        while True:
            state = await self._sessions.newest(SessionKey(timer.agent_id, timer.session_id))
            wanted = next((one for one in timers(state) if one.id == timer.id), None)
            if wanted is None:
                log.debug("timer.needless", timer=timer.id)
                return
            early_s = 0.0 if timer.answered else self._until(wanted)
            if early_s > 0 and wanted == timer:
                raise Transient("not yet", kind="early", retry_after=min(early_s, _LOOK_AGAIN_S))
            if early_s > 0:
                await self._set(wanted)
                return
            await stop_point("timers.due")
            try:
                await self._tell(state, wanted, delivery.message.sequence)
            except Conflict:
                continue  # the session went on meanwhile
            log.info("timer.due", timer=timer.id, purpose=timer.purpose)
            return

    async def watch_clock(self) -> None:
        """Put timers right when the clock was set, until cancelled."""
        watch = ClockWatch(self._clock)
        moved = timedelta(0)
        interruption = Interruption("timers_clock")
        while True:
            with interruption.tried(Failure):  # what fails is tried again
                moved += watch.moved() or timedelta(0)
                if moved:
                    log.warning("clock.set", by_s=round(moved.total_seconds(), 1))
                    await self.clock_was_set(moved)
                    moved = timedelta(0)
            await asyncio.sleep(CHECK_S)

    async def watch_store(self, partitions: Callable[[], Iterable[int]]) -> None:
        """Put back timers of these partitions that the server lost: now, and each hour, until cancelled."""
        interruption = Interruption("timers_store")
        while True:
            with interruption.tried(Failure):
                await self.put_back(partitions())
            await asyncio.sleep(_LOOK_AGAIN_S if interruption.lasts else _LOST_EVERY_S)

    async def put_back(self, partitions: Iterable[int]) -> int:
        """Set every timer that a session waits for and that the server lost; how many those were."""
        missing = await missing_timers(self._events, self._schedule, self._sessions, partitions)
        for timer in missing:
            log.error("timer.was_lost", timer=timer.id, purpose=timer.purpose, due_at=timer.due_at)
            await self._set(timer)
        return len(missing)

    async def clock_was_set(self, by: timedelta) -> None:
        """Make NATS look at all its timers: it waits for the next of them by a steady clock. If the clock was
        set back, what leads a session on comes that much sooner: it may have been set by the wrong time."""
        if by < timedelta(0):
            for message in await self._schedule.last_of_each(ALL_TIMERS, ALL_RETRIES):
                try:
                    timer = read_timer(message.data)
                except Permanent:
                    continue  # not a session's
                if timer.purpose in _LEAD_ON:
                    await self._set(self._sooner(timer, -by))
        await self._set(_NOTHING)

    def _sooner(self, timer: Timer, by: timedelta) -> Timer:
        now = self._clock.now()
        due = max(datetime.fromisoformat(timer.due_at) - by, now)
        return msgspec.structs.replace(timer, due_at=min(timer.due_at, rfc3339(due)), answered=True)

    async def given_up(self, message: StoredMessage, reason: str) -> None:
        """No timer, or of a session that can't be folded: it is set aside as a dead letter."""
        log.error("timer.given_up", sequence=message.sequence, subject=message.subject, reason=reason)

    async def _set(self, timer: Timer) -> None:
        message = NewMessage(timer.subject, encode_timer(timer), timer.headers())
        try:
            await self._schedule.append(message)
        except Transient:
            raise
        except Failure as failure:  # a time that is none, say: the session must not stop for that
            log.error("timer.refused", timer=timer.id, due_at=timer.due_at, reason=failure.message)
        self._known[timer.id] = timer.due_at

    def _until(self, timer: Timer) -> float:
        """Seconds until it is time; 0 or less when it is."""
        try:
            return milliseconds_between(rfc3339(self._clock.now()), timer.due_at) / 1000
        except ValueError as error:
            raise Permanent(f"the timer {timer.id}: {error}", kind="bad_timer") from error

    async def _tell(self, state: SessionState, timer: Timer, number: int) -> None:
        """Append the input if the session still stands as it was judged; `Conflict` if not."""
        due = TimerDue(timer.id, timer.purpose, timer.call_id)
        subject = state.key.input(type_of(due))
        origin = Origin(SOURCE, traceparent=current_traceparent())
        message, _ = event_message(due, subject, origin, self._clock, f"{timer.id}.{number}")
        await self._events.append(message, Expect(state.key.everything, state.last_sequence))
