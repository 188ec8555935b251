"""The files of an agent in memory, with the rules of the real ones."""

import itertools
from collections.abc import Awaitable, Callable, Sequence
from typing import BinaryIO

from agent_contracts import event_sources
from agent_contracts.files import FileScope, FileSource
from agent_contracts.ids import AgentId, SessionId
from agent_domain.files.file import File, FileContent, FileRef, StoredContent, Workspace
from agent_domain.files.files import Files, NewFile
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog


class MemoryFiles:
    """`AgentFiles` as a session sees them, or (None) a page."""

    def __init__(self, session: str | None = "s1", agent: str = "a1", files: Files | None = None) -> None:
        self.files = files or Files(Entities(MemoryLog(), SystemClock(), event_sources.RUNNER), MemoryBlobs())
        self.workspace = Workspace(AgentId(agent), SessionId(session) if session else None)
        self._numbers = itertools.count(1)

    def seen_by(self, session: str | None, agent: str = "a1") -> "MemoryFiles":
        """The same files as another session sees them, or a page, or another agent."""
        return MemoryFiles(session, agent, self.files)

    async def list(self) -> Sequence[File]:
        """See `AgentFiles`."""
        return await self.files.list(self.workspace)

    async def find(self, ref: FileRef, version: int | None = None) -> File:
        """See `AgentFiles`."""
        return await self.files.find(self.workspace, ref, version)

    async def read(self, file: File) -> bytes:
        """See `AgentFiles`."""
        return await self.files.read(file)

    async def store(self, path: str, data: BinaryIO, source: FileSource) -> StoredContent:
        """See `AgentFiles`."""
        return await self.files.store(self.workspace.agent_id, path, data, source)

    async def create(
        self, path: str, content: FileContent | StoredContent, scope: FileScope | None = None
    ) -> File:
        """See `AgentFiles`."""
        return await self.files.create(self.workspace, NewFile(path, content, scope), self._writer())

    async def write(self, ref: FileRef, content: FileContent, version: int | None = None) -> File:
        """See `AgentFiles`."""
        return await self.files.write(self.workspace, ref, content, self._writer(), version)

    async def edit(
        self,
        ref: FileRef,
        change: Callable[[File, bytes], Awaitable[FileContent]],
        version: int | None = None,
    ) -> File:
        """See `AgentFiles`."""
        return await self.files.edit(self.workspace, ref, change, self._writer(), version)

    async def rename(self, ref: FileRef, path: str, version: int | None = None) -> File:
        """See `AgentFiles`."""
        return await self.files.rename(self.workspace, ref, path, self._writer(), version)

    async def promote(self, ref: FileRef) -> File:
        """See `AgentFiles`."""
        return await self.files.promote(self.workspace, ref, self._writer())

    async def delete(self, ref: FileRef, version: int | None = None) -> bool:
        """See `AgentFiles`."""
        return await self.files.delete(self.workspace, ref, self._writer(), version) is not None

    def _writer(self) -> EntityWriter:
        return EntityWriter.user(
            f"{self.workspace.agent_id}-{self.workspace.session_id}-{next(self._numbers)}"
        )
