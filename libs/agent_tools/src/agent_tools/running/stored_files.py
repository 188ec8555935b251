"""An agent's files, as one tool call reads and writes them."""

from collections.abc import Awaitable, Callable, Sequence
from typing import BinaryIO, TypeVar

from agent_contracts.errors import Conflict, Rejected, Transient
from agent_contracts.files import FileScope, FileSource
from agent_contracts.log.record.session_subjects import SessionKey
from agent_domain.files.file import File, FileContent, FileRef, StoredContent, Workspace
from agent_domain.files.files import Files, NewFile
from agent_domain.files.workspaces import Workspaces
from agent_platform.entities.entity import EntityWriter
from agent_tools.context import CallContext

T = TypeVar("T")


class StoredFiles:
    """`AgentFiles` of entities and blobs."""

    def __init__(self, files: Files, workspaces: Workspaces, call: CallContext) -> None:
        self._files = files
        self._workspaces = workspaces
        self._call = call
        self._unused: list[EntityWriter] = []

    async def list(self) -> Sequence[File]:
        """See `AgentFiles`."""
        return await self._files.list(await self._workspace())

    async def find(self, ref: FileRef, version: int | None = None) -> File:
        """See `AgentFiles`."""
        return await self._files.find(await self._workspace(), ref, version)

    async def read(self, file: File) -> bytes:
        """See `AgentFiles`."""
        self._call.outside.bring(*file.outside)
        return await self._files.read(file)

    async def store(self, path: str, data: BinaryIO, source: FileSource) -> StoredContent:
        """See `AgentFiles`."""
        return await self._files.store((await self._workspace()).agent_id, path, data, source)

    async def create(
        self, path: str, content: FileContent | StoredContent, scope: FileScope | None = None
    ) -> File:
        """See `AgentFiles`."""
        new, workspace = NewFile(path, content, scope), await self._workspace()
        return await self._once(lambda writer: self._files.create(workspace, new, writer))

    async def write(self, ref: FileRef, content: FileContent, version: int | None = None) -> File:
        """See `AgentFiles`."""
        workspace = await self._workspace()
        return await self._once(lambda writer: self._files.write(workspace, ref, content, writer, version))

    async def edit(
        self,
        ref: FileRef,
        change: Callable[[File, bytes], Awaitable[FileContent]],
        version: int | None = None,
    ) -> File:
        """See `AgentFiles`."""
        workspace = await self._workspace()

        async def changed(file: File, data: bytes) -> FileContent:
            self._call.outside.bring(*file.outside)
            return await change(file, data)

        return await self._once(lambda writer: self._files.edit(workspace, ref, changed, writer, version))

    async def rename(self, ref: FileRef, path: str, version: int | None = None) -> File:
        """See `AgentFiles`."""
        workspace = await self._workspace()
        return await self._once(lambda writer: self._files.rename(workspace, ref, path, writer, version))

    async def promote(self, ref: FileRef) -> File:
        """See `AgentFiles`."""
        workspace = await self._workspace()
        return await self._once(lambda writer: self._files.promote(workspace, ref, writer))

    async def delete(self, ref: FileRef, version: int | None = None) -> bool:
        """See `AgentFiles`."""
        workspace = await self._workspace()
        deleted = await self._once(lambda writer: self._files.delete(workspace, ref, writer, version))
        return deleted is not None

    async def _workspace(self) -> Workspace:
        call = self._call
        if call.session is None:
            return Workspace(call.agent_id)
        return await self._workspaces.of(SessionKey(call.agent_id, call.session))

    async def _once(self, write: Callable[[EntityWriter], Awaitable[T]]) -> T:
        """What was refused wrote nothing, so the next write takes its place. Thus a call that makes the file
        which it didn't find does so once, whether it finds it on a second attempt or not."""
        writer = self._unused.pop() if self._unused else self._call.writers.next()
        try:
            return await write(writer)
        except Rejected:
            self._unused.append(writer)
            raise
        except Conflict as error:
            raise Transient(error.message, retry_after=0.1) from error
