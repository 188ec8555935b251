"""Folded sessions: read from the log, kept while they are warm."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol
from weakref import WeakValueDictionary

from cachetools import LRUCache

from agent_contracts.errors import Failure
from agent_contracts.ids import SessionId
from agent_contracts.log import subjects
from agent_contracts.log.record import records, session_subjects
from agent_contracts.log.record.codec import RecordedEvent, type_of
from agent_contracts.log.record.records import StoredMessage, event_of, expected_last
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.inputs import Created
from agent_contracts.session_events.union import SessionEvent
from agent_platform.log.events import events
from agent_platform.log.port import Log
from agent_platform.services.consuming.consumer import Delivery
from session_domain.domain.fold.evolve import passed_over
from session_domain.domain.state import SessionState
from session_domain.folding import (
    NEWEST_FOLDS,
    NothingSaved,
    SavedFolds,
    at_rest,
    fold_message,
    fold_on,
    points_at_the_past,
)
from session_domain.waypoints import Waypoints

WARM_SESSIONS = 1_000
"""How many folded sessions one process keeps."""
SNAPSHOT_EVERY = 100
"""A session is saved again after so many of its events."""


class SessionReader(Protocol):
    """Where folded sessions come from."""

    async def newest(self, key: SessionKey) -> SessionState:
        """The session folded over everything the log holds now. `position` 0 means there is none."""
        ...

    async def at(self, key: SessionKey, sequence: int) -> SessionState:
        """The session folded up to and including log sequence `sequence`."""
        ...

    async def at_and_after(self, key: SessionKey, sequence: int) -> tuple[SessionState, list[StoredMessage]]:
        """As `at`, and with the same read what the log holds of the session after `sequence` now."""
        ...

    def follow(self, record: Sequence[StoredMessage]) -> SessionState | None:
        """The session with a record that came to hand, if that is known without a read."""
        ...


class SessionSnapshots(SavedFolds, Protocol):
    """Saved folds: with one, a cold session need not be folded from its start. They only save time."""

    async def load(self, key: SessionKey) -> SessionState | None:
        """The newest saved fold of a session, or None if there is none that can be trusted."""
        ...

    def offer(self, state: SessionState) -> None:
        """A session has nothing to decide for now: it may be saved. Never blocks."""
        ...

    def forget(self, session_id: SessionId) -> None:
        """A session was erased: it isn't saved any more."""
        ...


class NoSnapshots(NothingSaved):
    """Nothing is saved."""

    async def load(self, key: SessionKey) -> SessionState | None:
        """None."""
        return None

    def offer(self, state: SessionState) -> None:
        """Nothing happens."""

    def forget(self, session_id: SessionId) -> None:
        """Nothing happens."""


class FoldedSessions:
    """A `SessionReader` over the log that folds only what is new since it last looked.

    Whoever is delivered all events of all sessions in order may pass them to `saw`: warm sessions are then
    folded on as events come, without a read. For that a session is *followed*: what is kept of it holds
    every event of it that was seen so far. It is from when it was read until a delivery goes missing.
    """

    def __init__(
        self,
        log: Log,
        snapshots: SessionSnapshots | None = None,
        *,
        warm: int = WARM_SESSIONS,
        heard: Callable[[RecordedEvent[SessionEvent]], None] = lambda _: None,
    ) -> None:
        """`heard` is told of each event that `at_and_after` reads up to its sequence, or `follow` folds."""
        self._log = log
        self._heard = heard
        self._snapshots = snapshots or NoSnapshots()
        self._followed: set[SessionKey] = set()
        self._kept = _Warm(warm, self._followed.discard)
        self._waypoints = Waypoints()
        self._reads: list[_ReadUnderWay] = []
        self._reading: WeakValueDictionary[SessionKey, asyncio.Lock] = WeakValueDictionary()
        self._delivered = 0

    async def newest(self, key: SessionKey) -> SessionState:
        """See `SessionReader`. Raises `LogCorrupt` where the events don't follow each other."""
        read = _ReadUnderWay(key)
        self._reads.append(read)
        try:
            state = await fold_on(self._log, key, await self._nearest(key), saved=self._snapshots)
        finally:
            self._reads.remove(read)
        state = self.keep(state)
        if not read.missed and read.seen <= state.last_sequence and key in self._kept:
            self._followed.add(key)
        return state

    async def covering(self, key: SessionKey, sequence: int) -> SessionState:
        """The session with at least everything up to `sequence`: without a read if that is warm already."""
        known = self._kept.get(key)
        if known is not None and known.last_sequence >= sequence:
            return known
        return await self.newest(key)

    async def at(self, key: SessionKey, sequence: int) -> SessionState:
        """See `SessionReader`. One past `sequence` is folded anew, from the nearest place that an earlier
        look at the past came by, from a snapshot, or from its start."""
        known = self._kept.get(key)
        if known is not None and known.last_sequence <= sequence:
            state = await fold_on(self._log, key, known, up_to=sequence, saved=self._snapshots)
        else:
            known = self._waypoints.nearest(key, sequence) or await self._nearest(key, sequence)
            state = await fold_on(
                self._log,
                key,
                known,
                up_to=sequence,
                passed=self._waypoints.passed,
                saved=self._snapshots,
            )
        self.keep(state)
        return state

    async def at_and_after(self, key: SessionKey, sequence: int) -> tuple[SessionState, list[StoredMessage]]:
        """See `SessionReader`. Meant for the recent past: what came after is read whole."""
        async with self._reading.setdefault(key, asyncio.Lock()):  # what one reads the next one knows
            return await self._read_at_and_after(key, sequence)

    async def _read_at_and_after(
        self, key: SessionKey, sequence: int
    ) -> tuple[SessionState, list[StoredMessage]]:
        state, later = await self._nearest(key, sequence), []
        async for message in self._log.read(key.everything, after=state.last_sequence):
            if message.sequence > sequence:
                later.append(message)
            else:
                state = await self.fold(state, message)
                if (recorded := event_of(message)) is not None:
                    self._heard(recorded)
        self.keep(state)
        return state, later

    async def at_rest(self, key: SessionKey, at: int) -> SessionState:
        """See `at_rest`."""
        return await at_rest(self._log, key, at, self._snapshots)

    async def fold(self, state: SessionState, message: StoredMessage) -> SessionState:
        """See `fold_message`; what was folded a moment ago is known."""
        recorded = event_of(message)
        if recorded is None or points_at_the_past(recorded.event):
            return await fold_message(self._log, state, message, self._snapshots)
        return NEWEST_FOLDS.evolve(state, recorded)

    def follow(self, record: Sequence[StoredMessage]) -> SessionState | None:
        """The session with a record that came to hand, where what is kept of it ends right before: that is
        known by what the record was expected to come after. None: it has to be read."""
        key = session_at(record[-1].subject)
        state = self._kept.get(key) if key is not None else None
        if key is None or state is None or expected_last(record[-1].headers) != state.last_sequence:
            return None
        self._fold(key, record)
        state = self._kept[key]
        if state.last_sequence != record[-1].sequence:
            return None
        for recorded in map(event_of, record):
            if recorded is not None:
                self._heard(recorded)
        return state

    def keep(self, state: SessionState) -> SessionState:
        """Remember a fold that its caller made further; returns the newest one that is known."""
        known = self._kept.get(state.key)
        if known is not None and known.last_sequence > state.last_sequence:
            return known
        if state.position:
            self._kept[state.key] = state
        return state

    def forget(self, session_id: SessionId) -> None:
        """A session was erased: nothing of it stays here."""
        for key in [key for key in self._kept if key.session_id == session_id]:
            self._followed.discard(key)
            self._kept.pop(key, None)
        self._waypoints.forget(session_id)
        records.forget(session_id)
        NEWEST_FOLDS.forget(session_id)
        self._snapshots.forget(session_id)

    def settled(self, state: SessionState) -> None:
        """A session has nothing to decide for now."""
        self._snapshots.offer(state)

    def saw(self, delivery: Delivery, number: int) -> None:
        """An event was delivered to this process. `number` is its delivery's among those to all processes."""
        complete, self._delivered = number == self._delivered + 1, number
        if not complete:
            self._followed.clear()
            for read in self._reads:
                read.missed = True
        if not delivery.is_first:
            return  # seen before, or missed then
        sequence = delivery.message.sequence
        key = session_at(delivery.message.subject)
        if key is None:
            return  # nothing of any session
        for read in self._reads:
            if read.key == key:
                read.seen = max(read.seen, sequence)
        if key in self._followed and sequence > self._kept[key].last_sequence:
            self._fold(key, delivery.events)

    async def _nearest(self, key: SessionKey, sequence: int | None = None) -> SessionState:
        """The furthest fold that is known and not past `sequence` (None: at all)."""
        known = self._kept.get(key)
        if known is not None and (sequence is None or known.last_sequence <= sequence):
            return known
        if known is not None and known.position < SNAPSHOT_EVERY:
            return SessionState(key.session_id)  # none was saved yet
        saved = await self._snapshots.load(key)
        if saved is None or (sequence is not None and saved.last_sequence > sequence):
            return SessionState(key.session_id)
        return saved

    def _fold(self, key: SessionKey, record: Sequence[StoredMessage]) -> None:
        state = self._kept[key]
        for message in record:
            recorded = event_of(message)
            if recorded is None:
                state = passed_over(state, message.sequence, message.part)
            elif points_at_the_past(recorded.event):
                self._followed.discard(key)  # to be read, with that past
                return
            else:
                try:
                    state = NEWEST_FOLDS.evolve(state, recorded)
                except Failure:
                    self._followed.discard(key)  # whoever needs the session reads it, and fails by itself
                    return
        self.keep(state)


class _Warm(LRUCache[SessionKey, SessionState]):
    """The sessions used last, at most so many; `forgotten` is told which had to go."""

    def __init__(self, most: int, forgotten: Callable[[SessionKey], None]) -> None:
        super().__init__(most)
        self._forgotten = forgotten

    def popitem(self) -> tuple[SessionKey, SessionState]:
        """Let go of what was used longest ago."""
        key, state = super().popitem()
        self._forgotten(key)
        return key, state


class _ReadUnderWay:
    """A read under way: the newest event seen of its session meanwhile; whether any may have been missed."""

    def __init__(self, key: SessionKey) -> None:
        self.key = key
        self.seen = 0
        self.missed = False


async def key_of(log: Log, session_id: SessionId) -> SessionKey | None:
    """The session with its agent; None if there is no such session."""
    async for recorded in events(log.read(subjects.any_agents_inputs(session_id, type_of(Created)))):
        return session_subjects.parse_session_subject(recorded.subject).key
    return None


def session_at(subject: str) -> SessionKey | None:
    """The session whose stream a subject is in; None for one that is in no session's."""
    try:
        key = session_subjects.parse_session_subject(subject).key
        return key if subject.startswith(key.prefix + ".") else None
    except Failure:
        return None
