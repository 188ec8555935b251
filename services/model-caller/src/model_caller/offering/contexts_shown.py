"""Under which contexts a session's calls were last asked, so that one which didn't change isn't recorded."""

import msgspec
from cachetools import LRUCache

from agent_contracts.ids import CallId, SessionId
from session_domain.model_requests.shown_before import AnsweredModelCall

REMEMBERED = 10_000
"""Of so many sessions the last call is known."""


class _CallContext(msgspec.Struct, frozen=True):
    call_id: CallId
    context: str
    as_before: bool


class ContextsShown:
    """Knows the last call of each session that this process prepared. What it doesn't know is recorded."""

    def __init__(self) -> None:
        self._last: LRUCache[SessionId, _CallContext] = LRUCache(REMEMBERED)

    def note(
        self, session_id: SessionId, call_id: CallId, context: str, before: AnsweredModelCall | None
    ) -> bool:
        """A call is asked under this context. Whether it is known to be that of the answered `before`."""
        as_before = before is not None and self._of(session_id, before) == context
        self._last[session_id] = _CallContext(call_id, context, as_before)
        return as_before

    def forget(self, session_id: SessionId) -> None:
        """The session was erased."""
        self._last.pop(session_id, None)

    def _of(self, session_id: SessionId, answered: AnsweredModelCall) -> str | None:
        if answered.context is not None:
            return answered.context
        ours = self._last.get(session_id)
        # An answer that another process recorded may stand on something else than what we prepared.
        known = ours is not None and ours.call_id == answered.call_id and ours.as_before
        return ours.context if ours is not None and known else None
