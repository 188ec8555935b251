"""In whose workspace a session works: in that of the session at the top of its tree."""

from cachetools import LRUCache

from agent_contracts.log.codec import type_of
from agent_contracts.log.session_key import SessionKey
from agent_contracts.session_events.inputs import Created
from agent_domain.files.file import Workspace
from agent_platform.log.decoding import event_of
from agent_platform.log.port import Log

_REMEMBERED = 10_000


class Workspaces:
    """Each session's parent is read once: it never changes."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._parents: LRUCache[SessionKey, SessionKey | None] = LRUCache(_REMEMBERED)

    async def of(self, session: SessionKey) -> Workspace:
        """The workspace of a session; its own, if it has no parent."""
        parent = await self._parent(session)
        while parent is not None:
            session, parent = parent, await self._parent(parent)
        return Workspace(session.agent_id, session.session_id)

    async def _parent(self, session: SessionKey) -> SessionKey | None:
        if session in self._parents:
            return self._parents[session]
        recorded = event_of(await self._log.last(session.input(type_of(Created))))
        if recorded is None or not isinstance(recorded.event, Created):
            return None
        parent_id = recorded.event.parent_id
        parent = None if parent_id is None else session.sibling(parent_id)
        self._parents[session] = parent
        return parent
