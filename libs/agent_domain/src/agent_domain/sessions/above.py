"""The sessions above a sub-session, by their first events."""

from collections.abc import Callable

from cachetools import LRUCache

from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import event_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.inputs import Created
from agent_platform.log.port import Log

_REMEMBERED = 10_000


class SessionsAbove:
    """Each session's first event is read once: it never changes."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._known: LRUCache[SessionKey, Created] = LRUCache(_REMEMBERED)

    async def top(
        self, session: SessionKey, through: Callable[[Created], bool] = lambda _: True
    ) -> SessionKey:
        """The highest session that parents lead to, from each session whose first event is let `through`; the
        session itself, if it has no parent."""
        made = await self._made(session)
        while made is not None and made.parent_id is not None and through(made):
            session = session.sibling(made.parent_id)
            made = await self._made(session)
        return session

    async def _made(self, session: SessionKey) -> Created | None:
        known = self._known.get(session)
        if known is not None:
            return known
        recorded = event_of(await self._log.last(session.input(type_of(Created))))
        if recorded is None or not isinstance(recorded.event, Created):
            return None
        self._known[session] = recorded.event
        return recorded.event
