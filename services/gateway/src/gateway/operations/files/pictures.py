"""Pictures from elsewhere that a person asked to see: fetched once, kept as files of the session."""

import hashlib
from urllib.parse import urlsplit

from agent_contracts.api.files import LONGEST_URL, FoundPicture, StoredFile
from agent_contracts.errors import Rejected
from agent_contracts.files import FileSource
from agent_contracts.ids import SessionId
from agent_contracts.questions.user_questions import FetchPicture
from agent_domain.files.file import FileRef, StoredContent, Workspace
from agent_domain.files.files import Files
from gateway.operations.files.views import shown
from gateway.operations.files.writing import FilePlace, FileWrites
from gateway.operations.idempotency import asked
from gateway.operations.ports import Runners
from gateway.operations.room import AgentsWithRoom
from gateway.operations.sessions.workspaces import SessionWorkspaces

WEB: FileSource = "web"


class PictureLoader:
    """Loads them. That one was loaded, by whom and from where, is the event of its file."""

    def __init__(  # noqa: PLR0913 — what fetches, what keeps, what is allowed
        self,
        runners: Runners,
        files: Files,
        writes: FileWrites,
        workspaces: SessionWorkspaces,
        agents: AgentsWithRoom,
        hosts: frozenset[str],
    ) -> None:
        self._runners = runners
        self._files = files
        self._writes = writes
        self._workspaces = workspaces
        self._agents = agents
        self._hosts = hosts

    async def find(self, session_id: SessionId, url: str) -> FoundPicture:
        """The picture, if it was loaded before, and whether its host is one of those that whoever runs this
        allowed. Nothing is fetched."""
        workspace = await self._workspaces.of(session_id)
        file = await self._known(workspace, _path(url))
        return FoundPicture(file=file, allowed=(urlsplit(url).hostname or "") in self._hosts)

    async def load(self, session_id: SessionId, url: str) -> StoredFile:
        """The picture, fetched by the agent's way out unless it was before.

        `Rejected`: `not_found` (no such session), `invalid_request` (no https address, one that nobody may
        reach, no picture), `too_large`, `quota_exceeded`.
        """
        workspace = await self._workspaces.of(session_id)
        path = _path(url)
        known = await self._known(workspace, path)
        if known is not None:
            return known
        await self._agents.require(workspace.agent_id, 0)
        found = await self._runners.picture(FetchPicture(workspace.agent_id, url))
        await self._files.check_room(workspace.agent_id, found.size)
        place = FilePlace(workspace.agent_id, workspace.session_id, path)
        content = StoredContent(found.sha256, found.size, found.media_type, WEB)
        return shown(workspace.agent_id, await self._writes.put(place, content, asked(None, url)))

    async def _known(self, workspace: Workspace, path: str) -> StoredFile | None:
        try:
            return shown(workspace.agent_id, await self._files.find(workspace, FileRef(path=path)))
        except Rejected as refused:
            if refused.kind != "not_found":
                raise
            return None


def _path(url: str) -> str:
    """Where the picture of this address is: the same address, the same file."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        host = None
    if len(url) > LONGEST_URL or not host or parts.scheme != "https" or parts.username is not None:
        raise Rejected("Give the address of a picture, https://…", kind="invalid_request", path="/url")
    digest = hashlib.sha256(url.encode()).hexdigest()[:16]
    name = "".join(letter if letter.isalnum() or letter in ".-" else "_" for letter in host)[:100]
    return f"pictures/{name}/{digest}"
