"""In whose workspace a session works: in that of the session at the top of its tree."""

from agent_contracts.log.record.session_subjects import SessionKey
from agent_domain.files.file import Workspace
from agent_domain.sessions.above import SessionsAbove
from agent_platform.log.port import Log


class Workspaces:
    """Finds workspaces."""

    def __init__(self, log: Log) -> None:
        self._above = SessionsAbove(log)

    async def of(self, session: SessionKey) -> Workspace:
        """The workspace of a session; its own, if it has no parent."""
        top = await self._above.top(session)
        return Workspace(top.agent_id, top.session_id)
