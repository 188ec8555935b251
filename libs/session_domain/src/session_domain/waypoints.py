"""Earlier folds of sessions, kept so that a look at the past needn't fold from the start each time."""

from itertools import chain

from cachetools import LRUCache

from agent_contracts.ids import SessionId
from agent_contracts.log.record.session_subjects import SessionKey
from session_domain.domain.state import SessionState

SESSIONS = 16
"""Of so many sessions one process keeps waypoints: folds of one session share most of their memory."""
PER_SESSION = 64
APART = 50
"""So many events are between two of them at first; twice as many whenever there would be too many."""
NEAR = 64
NEAR_APART = 25
"""Beside those: so many of the way that was folded last, so near to each other. Who looks at one event goes
on to the next or the one before; in a long session the others are hundreds of events apart."""


class Waypoints:
    """Folds at places that were passed on the way to others. Each is of complete records."""

    def __init__(self, sessions: int = SESSIONS) -> None:
        self._kept: LRUCache[SessionKey, _OfSession] = LRUCache(sessions)

    def nearest(self, key: SessionKey, sequence: int) -> SessionState | None:
        """The furthest that is not past `sequence`."""
        known = self._kept.get(key)
        return known.nearest(sequence) if known is not None else None

    def passed(self, state: SessionState) -> None:
        """A fold was here, at the end of a record."""
        if not state.position:
            return
        known = self._kept.get(state.key)
        if known is None:
            known = self._kept[state.key] = _OfSession()
        known.passed(state)

    def forget(self, session_id: SessionId) -> None:
        """The session was erased: nothing of it stays here."""
        for key in [key for key in self._kept if key.session_id == session_id]:
            self._kept.pop(key, None)


class _OfSession:
    def __init__(self) -> None:
        self._apart = APART
        self._at: dict[int, SessionState] = {}
        """By the number of the stretch of events that each is in."""
        self._near: dict[int, SessionState] = {}
        """The same; the ones that were passed first are given up first."""

    def nearest(self, sequence: int) -> SessionState | None:
        known = chain(self._at.values(), self._near.values())
        before = (state for state in known if state.last_sequence <= sequence)
        return max(before, key=lambda state: state.last_sequence, default=None)

    def passed(self, state: SessionState) -> None:
        self._near.setdefault(state.position // NEAR_APART, state)
        if len(self._near) > NEAR:
            del self._near[next(iter(self._near))]
        self._at.setdefault(state.position // self._apart, state)
        while len(self._at) > PER_SESSION:
            self._apart *= 2
            sparse: dict[int, SessionState] = {}
            for one in sorted(self._at.values(), key=lambda one: one.position):
                sparse.setdefault(one.position // self._apart, one)
            self._at = sparse
