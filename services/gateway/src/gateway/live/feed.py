"""The live feed: one tail of the log for the whole process, fanned out to any number of listeners."""

import asyncio
from collections.abc import Callable

import structlog

from agent_contracts.errors import Failure, Transient
from agent_contracts.log.address import Address, at_place
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.log.subjects import EVERYTHING
from agent_contracts.questions.queries import Delta
from agent_platform.log.port import Log
from agent_platform.process.interruption import Interruption
from gateway.live.answers import LiveAnswers
from gateway.live.event_filter import EventFilter
from gateway.live.event_view import agent_of, session_of
from gateway.live.frames import EventFrames, answer_frame, delta_frame
from gateway.live.row_views import ChangedRows
from gateway.live.session_rows import SessionRows
from gateway.live.subscription import LagLimits, Subscription

log = structlog.get_logger()

_RETRY_S = 0.5


class Feed:
    """Follows the log and hands each event's frame to those who want it.

    `position` is the place (`Address.place`) up to which everything was handed out: who joins after it gets
    the rest. `following` is set once the log was reached.
    """

    def __init__(
        self,
        events: Log,
        limits: LagLimits,
        rows: SessionRows,
        counted: Callable[[StoredMessage], None] = lambda _: None,
    ) -> None:
        """`counted` is shown each event once."""
        self._events = events
        self.rows = rows
        self._counted = counted
        self._limits = limits
        self._by_session: dict[str, set[Subscription]] = {}
        self._broad: set[Subscription] = set()
        self._watching: dict[str, set[Subscription]] = {}
        self._too_slow = 0
        self._answers = LiveAnswers()
        self.position = 0
        self.following = asyncio.Event()

    @property
    def listeners(self) -> int:
        """How many are connected now."""
        return len(self._broad) + sum(map(len, self._by_session.values()))

    @property
    def too_slow(self) -> int:
        """How many were disconnected so far because they fell behind."""
        return self._too_slow

    def check_following(self) -> None:
        """`Transient` as long as the log could not be reached since the start."""
        if not self.following.is_set():
            raise Transient("The log can't be reached yet; try again in a moment")

    async def run(self) -> None:
        """Follow the log until cancelled."""
        interruption = Interruption("feed")
        while True:
            try:
                if interruption.lasts or not self.following.is_set():
                    last = await self._events.last_sequence()
                    interruption.over()
                    if not self.following.is_set():
                        self.position = Address(last).end
                        self.following.set()
                behind = at_place(self.position).complete
                async for message in self._events.tail((EVERYTHING,), after=behind):
                    if message.address.place > self.position:
                        await self._hand_out(message)
                return  # the log was closed
            except Failure as failure:
                interruption.hit(failure.message, position=str(at_place(self.position)))
            await asyncio.sleep(_RETRY_S)

    def join(self, wanted: EventFilter, after: int, give_up: Callable[[], object]) -> Subscription:
        """Everything wanted from the feed's `position` on, but nothing up to place `after`.

        Who watches a session in the middle of an answer gets first what came of it so far. Synchronous, so
        that no event falls between a look at `position` and this. `give_up` is called when the listener is
        too slow.
        """
        subscription = Subscription(wanted, after, self._limits, give_up)
        if wanted.session_id is not None:
            self._by_session.setdefault(wanted.session_id, set()).add(subscription)
        else:
            self._broad.add(subscription)
        for session_id in sorted(wanted.streaming):
            self._watching.setdefault(session_id, set()).add(subscription)
            answer = self._answers.of(session_id)
            if answer is not None:
                subscription.offer_passing(answer_frame(answer))
        return subscription

    def leave(self, subscription: Subscription) -> None:
        """Nothing more for this listener."""
        wanted = subscription.wanted
        self._broad.discard(subscription)
        if wanted.session_id is not None:
            _discard(self._by_session, wanted.session_id, subscription)
        for session_id in wanted.streaming:
            _discard(self._watching, session_id, subscription)

    def hand_out_delta(self, delta: Delta) -> None:
        """A piece of a streaming answer, to those who watch this session."""
        self._answers.add(delta)
        watching = self._watching.get(delta.session_id)
        if watching:
            frame = delta_frame(delta)
            for subscription in watching:
                subscription.offer_passing(frame)

    async def _hand_out(self, message: StoredMessage) -> None:
        self._counted(message)
        session_id = session_of(message.subject)
        changed, watched = await self._changed(message, session_id)
        frames = EventFrames(message, changed, watched=watched)
        if session_id is not None:
            self._answers.note(session_id, message)
        for subscription in self._chosen(message, session_id):  # whoever joined meanwhile is among them
            if not subscription.offer(frames.for_one(subscription.wanted)):
                self._too_slow += 1
                self.leave(subscription)
        self.position = message.address.place

    async def _changed(
        self, message: StoredMessage, session_id: str | None
    ) -> tuple[ChangedRows | None, bool]:
        if session_id is None:
            return None, True
        wanting = [one.wanted for one in self._chosen(message, session_id) if one.wanted.rows]
        if not wanting:
            self.rows.forget(session_id)
            return None, False
        watched = any(session_id in wanted.streaming for wanted in wanting)
        return await self.rows.changed(message, watched=watched), watched

    def _chosen(self, message: StoredMessage, session_id: str | None) -> list[Subscription]:
        agent_id = agent_of(message.subject)
        return [
            subscription
            for subscription in (*self._by_session.get(session_id or "", ()), *self._broad)
            if subscription.after < message.address.place
            and subscription.wanted.matches(session_id, agent_id)
        ]


def _discard(by_session: dict[str, set[Subscription]], session_id: str, subscription: Subscription) -> None:
    listeners = by_session.get(session_id, set())
    listeners.discard(subscription)
    if not listeners:
        by_session.pop(session_id, None)
