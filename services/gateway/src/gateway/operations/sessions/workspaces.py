"""In whose workspace a session's files are, by the session's id."""

from agent_contracts.ids import SessionId
from agent_domain.files.file import Workspace
from agent_domain.files.workspaces import Workspaces
from agent_domain.sessions.directory import SessionDirectory
from agent_platform.log.port import Log


class SessionWorkspaces:
    """The workspaces of sessions that exist."""

    def __init__(self, log: Log, directory: SessionDirectory) -> None:
        self._directory = directory
        self._workspaces = Workspaces(log)

    async def of(self, session_id: SessionId) -> Workspace:
        """What a session sees. `Rejected`: `not_found`, `erased`."""
        return await self._workspaces.of((await self._directory.find(session_id)).key)
