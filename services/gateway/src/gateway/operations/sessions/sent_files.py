"""The files that come with a message."""

import asyncio

from agent_contracts.errors import Rejected
from agent_contracts.files import SentFile
from agent_contracts.ids import AgentId, SessionId
from agent_domain.files.file import FileRef, Workspace
from agent_domain.files.files import Files
from gateway.operations.sessions.workspaces import SessionWorkspaces


class SentFiles:
    """Looks up the files that a session sees, by their ids."""

    def __init__(self, files: Files, workspaces: SessionWorkspaces) -> None:
        self._files = files
        self._workspaces = workspaces

    async def of(self, session_id: SessionId, file_ids: tuple[str, ...]) -> tuple[SentFile, ...]:
        """The files as they are now. `Rejected(kind="invalid_request")`, with the place among the files as
        its path, for one that doesn't exist or belongs to another session or agent."""
        if not file_ids:
            return ()
        return await self._all(await self._workspaces.of(session_id), file_ids)

    async def of_agent(self, agent_id: AgentId, file_ids: tuple[str, ...]) -> tuple[SentFile, ...]:
        """As `of`, for a session that is yet to begin: files that all sessions of the agent see."""
        return await self._all(Workspace(agent_id), file_ids)

    async def _all(self, workspace: Workspace, file_ids: tuple[str, ...]) -> tuple[SentFile, ...]:
        found = (self._find(workspace, number, file_id) for number, file_id in enumerate(file_ids))
        return tuple(await asyncio.gather(*found))

    async def _find(self, workspace: Workspace, number: int, file_id: str) -> SentFile:
        try:
            file = await self._files.find(workspace, FileRef(file_id=file_id))
        except Rejected as refused:
            session_id, agent_id = workspace.session_id, workspace.agent_id
            raise Rejected(
                f"There is no file {file_id} for session {session_id}: send it with `POST /files` and this "
                "`session_id`, or as one of the agent's"
                if session_id is not None
                else f"There is no file {file_id} that all sessions of agent {agent_id} see: send it with "
                "`POST /files` and this `agent_id`, or begin the session first and send it there",
                kind="invalid_request",
                path=f"/files/{number}",
            ) from refused
        return SentFile(file.file_id, file.path, file.media_type, file.size, file.version, file.blob)
