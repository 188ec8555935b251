"""Whose browser a session uses: its own, or that of a session above it that it was told to share."""

from cachetools import LRUCache

from agent_contracts.ids import SessionId
from agent_contracts.log.codec import type_of
from agent_contracts.log.session_key import SessionKey
from agent_contracts.session_events.inputs import Created
from agent_platform.log.decoding import event_of
from agent_platform.log.port import Log

_REMEMBERED = 10_000


class BrowserOwners:
    """Each session's first event is read once: it never changes."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._shares_with: LRUCache[SessionKey, SessionKey | None] = LRUCache(_REMEMBERED)

    async def of(self, session: SessionKey) -> SessionId:
        """The session that the browser belongs to."""
        above = await self._above(session)
        while above is not None:
            session, above = above, await self._above(above)
        return session.session_id

    async def _above(self, session: SessionKey) -> SessionKey | None:
        if session in self._shares_with:
            return self._shares_with[session]
        recorded = event_of(await self._log.last(session.input(type_of(Created))))
        if recorded is None or not isinstance(recorded.event, Created):
            return None
        made = recorded.event
        shares = made.browser == "parent" and made.parent_id is not None
        above = session.sibling(made.parent_id) if shares and made.parent_id is not None else None
        self._shares_with[session] = above
        return above
