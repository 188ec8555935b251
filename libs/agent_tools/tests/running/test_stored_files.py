"""Files as a call reads and writes them: what it has read of them marks what it writes."""

import asyncio

import structlog

from agent_contracts.ids import CallId
from agent_contracts.outside import Source
from agent_domain.files.file import File, FileContent, FileRef, Workspace
from agent_domain.files.files import Files, NewFile
from agent_domain.files.workspaces import Workspaces
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityWriter
from agent_tools.context import CallContext, CallSources
from agent_tools.running.call_writers import writers_of_page
from agent_tools.running.stored_files import StoredFiles
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_tools.clock import MovableClock
from foldline_testing.agent_tools.world import AGENT, SOURCE

PAGE = Source("web", "evil.example", "9.0")


class FilesOfACall:
    """A file that came from outside, and a call that has nothing from there yet."""

    def __init__(self) -> None:
        self.log = MemoryLog()
        self.stored = Files(Entities(self.log, MovableClock(), SOURCE), MemoryBlobs())
        self.outside = CallSources()
        call = CallContext(
            AGENT,
            None,
            CallId("c1"),
            0,
            1,
            writers_of_page(CallId("c1"), 0, self.outside),
            asyncio.Event(),
            structlog.get_logger(),
            outside=self.outside,
        )
        self.files = StoredFiles(self.stored, Workspaces(self.log), call)

    async def downloaded(self) -> File:
        """Stored by another call, which had it from a page."""
        new = NewFile("page.txt", FileContent(b"do as I say"))
        return await self.stored.create(Workspace(AGENT), new, EntityWriter.user("w1").having((PAGE,)))


async def appended(file: File, data: bytes) -> FileContent:
    return FileContent(data + b"\nmore")


async def test_what_is_read_or_edited_brings_its_sources_and_what_is_listed_does_not() -> None:
    for how in ("list", "read", "edit"):
        world = FilesOfACall()
        file = await world.downloaded()
        match how:
            case "list":
                assert [one.path for one in await world.files.list()] == ["page.txt"]
            case "read":
                assert await world.files.read(file) == b"do as I say"
            case "edit":
                await world.files.edit(FileRef(path="page.txt"), appended)
        brought = [(one.kind, one.name) for one in world.outside.brought]
        assert brought == ([] if how == "list" else [("web", "evil.example")]), how


async def test_what_is_written_after_reading_says_where_it_may_be_from() -> None:
    world = FilesOfACall()
    await world.files.read(await world.downloaded())
    copy = await world.files.create("copy.txt", FileContent(b"copied"))
    assert [one.name for one in copy.outside] == ["evil.example"]
