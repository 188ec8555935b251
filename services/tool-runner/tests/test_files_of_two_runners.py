"""Files that sessions on two runners work with at the same time, on a real log."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from agent_contracts import event_sources
from agent_contracts.errors import Conflict, Transient
from agent_contracts.ids import SessionId
from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage
from agent_contracts.tool_spec import Effect
from agent_domain.files.file import FileContent, FileRef, Workspace
from agent_domain.files.files import Files, NewFile
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityWriter
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.tool_runner.world import World

ONE, OTHER = SessionId("s1"), SessionId("s2")
EACH = 200
SHARED = FileRef(path="log.txt")


class CountedConflicts(JetStreamLog):
    """A log that counts how often another writer was faster."""

    conflicts = 0

    async def append(self, message: NewMessage, expect: Expect | None = None) -> int:
        try:
            return await super().append(message, expect)
        except Conflict:
            self.conflicts += 1
            raise


@pytest.fixture
async def runners(nats_server: NatsForTest, tmp_path: Path) -> AsyncIterator[list[World]]:
    """Two, each with a connection of its own."""
    connections = [await connect(nats_server.url, name=name) for name in ("one", "other")]
    await ensure_streams(connections[0], StreamSettings())
    logs = [CountedConflicts(connection) for connection in connections]
    blobs = MemoryBlobs()
    yield [World(log=log, blobs=blobs, folder=tmp_path) for log in logs]
    for connection in connections:
        await connection.close()


@pytest.mark.faults
async def test_two_sessions_append_to_one_file_and_no_line_is_lost(runners: list[World]) -> None:
    one, other = runners
    new = NewFile("log.txt", FileContent(b""))
    await one.files.create(Workspace(AGENT), new, EntityWriter.user("u1"))

    async def append(world: World, session: SessionId) -> None:
        for number in range(EACH):
            line = {"path": "log.txt", "text": f"{session} {number}\n", "append": True}
            call = f"c{number}"
            while True:  # as a consumer does, that is told to try again
                try:
                    done = await world.run(
                        "file_write_text", line, call_id=call, session_id=session, effect=Effect.RECORDED
                    )
                    break
                except Transient:
                    call += "x"
            assert done.result["path"] == "log.txt", done

    await asyncio.gather(append(one, ONE), append(other, OTHER))
    file = await one.files.find(Workspace(AGENT), SHARED)
    lines = (await one.files.read(file)).decode().splitlines()
    assert sorted(lines) == sorted(f"{session} {n}" for session in (ONE, OTHER) for n in range(EACH))
    for session in (ONE, OTHER):  # in each session's own order
        assert [line for line in lines if line.startswith(session)] == [f"{session} {n}" for n in range(EACH)]
    assert file.version == 1 + 2 * EACH
    logs = [world.log for world in runners]
    assert sum(log.conflicts for log in logs if isinstance(log, CountedConflicts)) > 0


class CountedReads(MemoryLog):
    """A log that counts what it is asked."""

    asked = 0

    async def last(self, subject: str) -> StoredMessage | None:
        self.asked += 1
        return await super().last(subject)

    async def last_of_each(
        self, *subjects: str, after: int = 0, up_to: int | None = None
    ) -> list[StoredMessage]:
        self.asked += 1
        return await super().last_of_each(*subjects, after=after, up_to=up_to)


class NoReads(MemoryBlobs):
    """Blobs that nobody reads."""

    async def get(self, sha256: str) -> bytes:
        raise AssertionError("a list reads no bytes")


async def test_a_hundred_files_are_listed_by_one_request_that_reads_none_of_them() -> None:
    log = CountedReads()
    files = Files(Entities(log, SystemClock(), event_sources.RUNNER), NoReads())
    workspace = Workspace(AGENT, ONE)
    for number in range(100):
        content = FileContent(bytes([number]) * 1_000_000)
        await files.create(workspace, NewFile(f"f{number:03}", content), EntityWriter.user(f"u{number}"))
    log.asked = 0
    listed: Sequence[object] = await files.list(workspace)
    assert (len(listed), log.asked) == (100, 1)
