"""The files of an agent, all its sessions' among them: as a person sees and changes them."""

from collections.abc import Callable

import msgspec

from agent_contracts.api.files import FilePage, StoredFile
from agent_contracts.api.versions import DeleteResult, Version, VersionTarget
from agent_contracts.api.wire import Page
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.files import FileScope
from agent_contracts.ids import AgentId, SessionId
from agent_domain.files.file import File, FileRef, StoredContent, Workspace, file_of
from agent_domain.files.files import Files
from agent_domain.files.media_types import media_type_of
from agent_platform.entities.entity import EntityKey
from agent_platform.log.blobs.port import Blobs
from gateway.operations.agents.edits import Edits
from gateway.operations.agents.version_records import versions
from gateway.operations.files.uploads import BEGINNING
from gateway.operations.files.views import shown
from gateway.operations.files.writing import UPLOAD, FileWrites
from gateway.operations.idempotency import IdempotentRequest, asked
from gateway.operations.ports import KnownAgents
from gateway.operations.sessions.workspaces import SessionWorkspaces
from gateway.operations.spool import StoredSpan


class FileOfAgent(msgspec.Struct, frozen=True):
    """A file of an agent."""

    agent_id: AgentId
    file_id: str

    @property
    def ref(self) -> FileRef:
        """How it is named to those who know whose it is."""
        return FileRef(file_id=self.file_id)

    @property
    def key(self) -> EntityKey:
        """Its entity."""
        return EntityKey(self.agent_id, EntityKind.FILE, self.file_id)


class FileQuery(msgspec.Struct, frozen=True):
    """Which files to list: those of a scope, those that a session sees, those whose paths begin so; those
    after a place in the list, at most so many, as of an event."""

    scope: FileScope | None = None
    session_id: SessionId | None = None
    prefix: str = ""
    after: str | None = None
    limit: int = 100
    at: int | None = None


Expected = Callable[[File], Rejected | None]
"""Why a file may not be changed as it is now; None: it may."""


class FilesOfAgents:
    """`Rejected(kind="not_found")` where there is no such agent, file or version."""

    def __init__(
        self, edits: Edits, blobs: Blobs, files: Files, workspaces: SessionWorkspaces, agents: KnownAgents
    ) -> None:
        self._edits = edits
        self._blobs = blobs
        self._files = files
        self._writes = FileWrites(edits, files)
        self._workspaces = workspaces
        self._agents = agents

    async def list(self, agent_id: AgentId, asking: FileQuery) -> FilePage:
        """Files by path, those of the agent first where a path is in several places."""
        await self._agents.require(agent_id)
        sees = await self._seen_by(agent_id, asking.session_id)
        entities = await self._edits.entities.list(agent_id, EntityKind.FILE, up_to=asking.at)
        found = sorted(
            (
                file
                for file in map(file_of, entities)
                if (asking.scope is None or file.scope is asking.scope)
                and (sees is None or file.session_id in (None, sees.session_id))
                and file.path.startswith(asking.prefix)
            ),
            key=_place,
        )
        rest = [file for file in found if asking.after is None or _cursor(file) > asking.after]
        page = rest[: asking.limit]
        return FilePage(
            items=[shown(agent_id, file) for file in page],
            next_cursor=_cursor(page[-1]) if len(rest) > len(page) else None,
            count=len(found),
            bytes=sum(file.size for file in found),
        )

    async def read(self, which: FileOfAgent, at: int | None = None) -> StoredFile:
        """A file, now or as it was after event `at`."""
        await self._agents.require(which.agent_id)
        if at is None:
            return shown(which.agent_id, await self._now(which))
        found = await self._edits.entities.as_of(which.key, at)
        if found is None:
            raise Rejected(f"There was no file {which.file_id} after event {at}", kind="not_found")
        return shown(which.agent_id, file_of(found))

    async def versions(self, which: FileOfAgent, before: int | None, limit: int) -> Page[Version]:
        """Who changed it and when, newest first, deletions included."""
        await self._agents.require(which.agent_id)
        return versions(await self._edits.page(which.key, before, limit))

    async def version(self, which: FileOfAgent, target: VersionTarget) -> StoredFile:
        """The file at one version."""
        await self._agents.require(which.agent_id)
        return shown(which.agent_id, file_of(await self._edits.find(which.key, target)))

    async def write(
        self, which: FileOfAgent, data: StoredSpan, expected: Expected, key: str | None
    ) -> StoredFile:
        """Make the bytes the next version; what they are already makes none. What `expected` refuses is
        raised, nothing changed."""
        file = await self._expected(which, expected)
        media_type = media_type_of(file.path, data.read(0, BEGINNING))
        await self._files.check_room(which.agent_id, max(0, data.size - file.size))
        blob = await self._blobs.put_stream(data.pieces(), media_type, owner=which.agent_id)
        content = StoredContent(blob.sha256, blob.size, media_type, UPLOAD)
        return await self._written(which, content, expected, asked(key, [which.file_id, content.blob]))

    async def revert(
        self, which: FileOfAgent, target: VersionTarget, request: IdempotentRequest
    ) -> StoredFile:
        """Make an earlier version's bytes the newest version; the path stays. A file that was deleted is
        there again, at the path of then. `Rejected(kind="conflict")` where that is taken."""
        await self._agents.require(which.agent_id)
        earlier = file_of(await self._edits.find(which.key, target))
        now = await self._edits.entities.current(which.key)
        if now is None:
            writer = self._writes.writer(request, which.key, "write")
            done = await self._writes.done_before(which.key, writer, request)
            workspace = _workspace(earlier, which.agent_id)
            return shown(which.agent_id, done or await self._files.restore(workspace, earlier, writer))
        await self._files.check_room(which.agent_id, max(0, earlier.size - file_of(now).size))
        content = StoredContent(
            earlier.blob, earlier.size, earlier.media_type, earlier.source, earlier.made_from
        )
        return await self._written(which, content, any_version, request)

    async def rename(
        self, which: FileOfAgent, path: str, version: int | None, request: IdempotentRequest
    ) -> StoredFile:
        """Give it another path. `Rejected(kind="conflict")` where that is taken."""
        workspace = _workspace(await self._expected(which, any_version), which.agent_id)
        writer = self._writes.writer(request, which.key, "rename")
        done = await self._writes.done_before(which.key, writer, request)
        return shown(
            which.agent_id, done or await self._files.rename(workspace, which.ref, path, writer, version)
        )

    async def promote(self, which: FileOfAgent, request: IdempotentRequest) -> StoredFile:
        """Make a session's file one of the agent's, for all its sessions."""
        workspace = _workspace(await self._expected(which, any_version), which.agent_id)
        writer = self._writes.writer(request, which.key, "promote")
        done = await self._writes.done_before(which.key, writer, request)
        return shown(which.agent_id, done or await self._files.promote(workspace, which.ref, writer))

    async def delete(
        self, which: FileOfAgent, version: int | None, request: IdempotentRequest
    ) -> DeleteResult:
        """Delete it; its versions stay readable."""
        await self._agents.require(which.agent_id)
        writer = self._writes.writer(request, which.key, "delete")
        done = await self._writes.event_before(which.key, writer, request)
        if done is not None:
            return DeleteResult(deleted=True, sequence=done.sequence)
        found = await self._edits.entities.current(which.key)
        if found is None:
            return DeleteResult(deleted=False, sequence=None)
        workspace = _workspace(file_of(found), which.agent_id)
        deleted = await self._files.delete(workspace, which.ref, writer, version)
        last = await anext(self._edits.entities.versions(which.key))
        return DeleteResult(deleted=deleted is not None, sequence=last.sequence)

    async def _written(
        self, which: FileOfAgent, content: StoredContent, expected: Expected, request: IdempotentRequest
    ) -> StoredFile:
        writer = self._writes.writer(request, which.key, "write")
        done = await self._writes.done_before(which.key, writer, request)
        while done is None:
            before = await self._expected(which, expected)
            workspace = _workspace(before, which.agent_id)
            try:
                done = await self._files.write(workspace, which.ref, content, writer, before.version)
            except Rejected as refused:
                if refused.kind != "conflict":
                    raise
                # Another version came between: whether that one may be replaced is for `expected` to say.
        return shown(which.agent_id, done)

    async def _expected(self, which: FileOfAgent, expected: Expected) -> File:
        await self._agents.require(which.agent_id)
        file = await self._now(which)
        refusal = expected(file)
        if refusal is not None:
            raise refusal
        return file

    async def _now(self, which: FileOfAgent) -> File:
        found = await self._edits.entities.current(which.key)
        if found is None:
            raise Rejected(f"Agent {which.agent_id} has no file {which.file_id}", kind="not_found")
        return file_of(found)

    async def _seen_by(self, agent_id: AgentId, session_id: SessionId | None) -> Workspace | None:
        if session_id is None:
            return None
        workspace = await self._workspaces.of(session_id)
        if workspace.agent_id != agent_id:
            raise Rejected(f"Agent {agent_id} has no session {session_id}", kind="not_found")
        return workspace


def any_version(file: File) -> None:
    """It may be changed, however it is."""


def _workspace(file: File, agent_id: AgentId) -> Workspace:
    return Workspace(agent_id, file.session_id)


def _place(file: File) -> tuple[str, str]:
    return file.path, file.session_id or ""


def _cursor(file: File) -> str:
    return "\n".join(_place(file))
