"""What the engine lately told to stop, for requests that are delivered after the word of it."""

from cachetools import FIFOCache

from agent_contracts.ids import CallId, SessionId
from agent_tools.running.call import CallKey

_REMEMBERED = 10_000


class RecentlyStopped:
    """The last ten thousand calls and sessions that were told to stop. What is forgotten is in the log."""

    def __init__(self) -> None:
        self._stopped: FIFOCache[tuple[SessionId, CallId | None], None] = FIFOCache(_REMEMBERED)

    def add(self, session_id: SessionId, call_id: CallId | None) -> None:
        """Remember a call, or without one the end of a whole session."""
        self._stopped[session_id, call_id] = None

    def includes(self, key: CallKey) -> bool:
        """Whether this call, or its session, was told to stop."""
        session_id = key.session.session_id
        return (session_id, key.call_id) in self._stopped or (session_id, None) in self._stopped
