"""A session folded on over what the log holds, and what it was before a place that an event points at."""

from collections.abc import Callable
from typing import Protocol

from agent_contracts.ids import SessionId
from agent_contracts.log.record.codec import RecordedEvent, type_of
from agent_contracts.log.record.records import StoredMessage, event_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.decisions import ForkedFrom, Rewound
from agent_contracts.session_events.union import SessionEvent
from agent_platform.log.events import events
from agent_platform.log.port import Log
from session_domain.domain.fold.evolve import evolve, passed_over
from session_domain.domain.fold.rewind import adopt
from session_domain.domain.state import SessionState

_TRIES = 2
"""So many saved folds are tried before a past is folded from the session's start."""


class SavedFolds(Protocol):
    """Where a look at the past may begin. They only save time."""

    async def before(self, key: SessionKey, sequence: int) -> SessionState | None:
        """The furthest saved fold of a session that is not past `sequence`, if one can be trusted."""
        ...


class NothingSaved:
    """Every look at the past begins at the session's start."""

    async def before(self, key: SessionKey, sequence: int) -> SessionState | None:
        """None."""
        return None


NOTHING_SAVED = NothingSaved()


def points_at_the_past(event: SessionEvent) -> bool:
    """Whether an event can't be folded without an earlier fold, of this session or another."""
    return isinstance(event, ForkedFrom) or _leads_back(event)


async def fold_on(  # noqa: PLR0913 what to fold, how far, and who helps
    log: Log,
    key: SessionKey,
    state: SessionState,
    up_to: int | None = None,
    passed: Callable[[SessionState], None] | None = None,
    saved: SavedFolds = NOTHING_SAVED,
) -> SessionState:
    """`state` folded on over what the log holds after it, up to and including sequence `up_to`.

    `passed` is told each fold on the way that is complete: of no record it has only a part.
    """
    if up_to is not None and up_to <= state.last_sequence:
        return state
    async for message in log.read(key.everything, after=state.last_sequence, up_to=up_to):
        if passed is not None and message.sequence > state.last_sequence:
            passed(state)
        state = await fold_message(log, state, message, saved)
    if passed is not None:
        passed(state)
    return state


async def fold_message(
    log: Log, state: SessionState, message: StoredMessage, saved: SavedFolds = NOTHING_SAVED
) -> SessionState:
    """`fold_event`, or the session as it was where the message carries none."""
    recorded = event_of(message)
    if recorded is None:
        return passed_over(state, message.sequence, message.part)
    return await fold_event(log, state, recorded, saved)


class NewestFolds:
    """The newest folds of a process: what engine and model caller both follow is folded once.

    An event of a record that was read once in the process (`records.parts`) is one object for all of them.
    Who comes with another copy of the session before it gets the first one's from then on, once it was
    compared.
    """

    def __init__(self, most: int = 256) -> None:
        self._most = most
        self._known: dict[int, tuple[RecordedEvent[SessionEvent], SessionState, SessionState]] = {}

    def evolve(self, state: SessionState, recorded: RecordedEvent[SessionEvent]) -> SessionState:
        """See `evolve`."""
        known = self._known.get(id(recorded))
        if known is not None and known[0] is recorded and (known[1] is state or known[1] == state):
            return known[2]
        after = evolve(state, recorded)
        self._known[id(recorded)] = (recorded, state, after)
        if len(self._known) > self._most:
            del self._known[next(iter(self._known))]
        return after

    def forget(self, session_id: SessionId) -> None:
        """The session was erased: nothing of it stays here."""
        for one in [one for one, known in self._known.items() if known[1].session_id == session_id]:
            del self._known[one]


NEWEST_FOLDS = NewestFolds()
"""Those of this process, whose loop is one."""


async def fold_event(
    log: Log, state: SessionState, recorded: RecordedEvent[SessionEvent], saved: SavedFolds = NOTHING_SAVED
) -> SessionState:
    """`evolve`, and for the two events that point at the past, that past read from the log."""
    match recorded.event:
        case ForkedFrom(agent_id=agent_id, session_id=session_id, at=at):
            past = SessionKey(agent_id, session_id)
            return adopt(state, recorded, await at_rest(log, past, at, saved))
        case Rewound(to=to, conversation=True):
            return adopt(state, recorded, await at_rest(log, state.key, to, saved))
        case _:
            return evolve(state, recorded)


async def at_rest(log: Log, key: SessionKey, at: int, saved: SavedFolds = NOTHING_SAVED) -> SessionState:
    """The session as it was at `at`, or at the last point before it at which no call was open.

    However often it went back before, and went back on that: each event is read and folded once, three times
    at most: after the last saved fold, after an earlier one where that isn't early enough, from the start.
    """
    needed = at
    for _ in range(_TRIES):
        start = await saved.before(key, needed)
        if start is None:
            break
        found, needed = await _at_rest_after(log, key, start, at, saved)
        if found is not None:
            return found
    found, _ = await _at_rest_after(log, key, SessionState(key.session_id), at, saved)
    assert found is not None
    return found


async def _at_rest_after(
    log: Log, key: SessionKey, start: SessionState, at: int, saved: SavedFolds
) -> tuple[SessionState | None, int]:
    """`at_rest` where all that counts comes after `start`. None if not, and from where on it is needed."""
    led_to = sorted({at, *await _went_back_to(log, key, start.last_sequence, at)})
    before = start.last_sequence - 1
    if led_to[0] < start.last_sequence:
        return None, led_to[0]
    state, rest = start, start if start.is_at_rest or start.position == 0 else None
    pasts: dict[int, SessionState | None] = {}
    async for message in log.read(key.everything, after=start.last_sequence, up_to=at):
        while led_to[0] < message.sequence:
            pasts[led_to.pop(0)] = rest
        recorded = event_of(message)
        if recorded is not None and _leads_back(recorded.event):
            past = pasts[recorded.event.to]
            if past is None:
                return None, before
            state = adopt(state, recorded, past)
        else:
            state = await fold_message(log, state, message, saved)
        if state.is_at_rest:
            rest = state
    return rest, before


async def _went_back_to(log: Log, key: SessionKey, after: int, up_to: int) -> list[int]:
    """Where the session's rewinds led to, of those after `after` up to event `up_to`."""
    rewinds = events(log.read(key.decision(type_of(Rewound)), after=after, up_to=up_to))
    return [recorded.event.to async for recorded in rewinds]


def _leads_back(event: SessionEvent) -> bool:
    return isinstance(event, Rewound) and event.conversation
