"""Imported files: read piece by piece, checked whole before anything is stored."""

import base64
import json
import tempfile
import tracemalloc
from collections.abc import AsyncIterable
from hashlib import sha256
from typing import BinaryIO

import pytest

from agent_contracts.blob_ref import BlobRef
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.questions.queries import IMPORT
from agent_contracts.sessions.session_file import (
    FORMAT,
    VERSION,
    FileBlob,
    FileEvent,
    FileHead,
    SessionFile,
    write,
)
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.agents.agents import NewAgent
from gateway.operations.idempotency import asked
from gateway.operations.room import AgentsWithRoom
from gateway.operations.sessions.imports import SessionImports

pytestmark = pytest.mark.long

MIB = 1024 * 1024
HEAD = FileHead(FORMAT, VERSION, SessionId("s_1"), DEFAULT_AGENT, (SessionId("s_1"),), "")
CREATED = FileEvent(1, "ses.default.1.s_1.in.created", {}, "{}")


class Sizes(MemoryBlobs):
    """`Blobs` that keep sizes alone."""

    def __init__(self) -> None:
        super().__init__()
        self.stored: list[int] = []
        self.owners: list[AgentId | None] = []

    async def put(self, data: bytes, media_type: str = "", *, owner: AgentId | None = None) -> BlobRef:
        """See the port."""
        self.stored.append(len(data))
        self.owners.append(owner)
        return BlobRef(sha256(data).hexdigest(), len(data), media_type)

    async def put_stream(
        self, data: AsyncIterable[bytes], media_type: str, *, owner: AgentId | None = None
    ) -> BlobRef:
        """See the port."""
        size = 0
        async for piece in data:
            size += len(piece)
        self.stored.append(size)
        return BlobRef("0" * 64, size, media_type)

    async def get(self, sha256: str) -> bytes:
        """Nobody asks."""
        raise AssertionError(sha256)


def imports(memory: InMemory, blobs: Sizes) -> SessionImports:
    agents = AgentsWithRoom(memory.operations.agents, memory.quota)
    return SessionImports(blobs, SystemClock(), agents, memory.engine)


def large_file(blobs: int) -> BinaryIO:
    """A file with so many blobs of a megabyte, written without ever being in memory as a whole."""
    content = tempfile.TemporaryFile()  # noqa: SIM115 — the test closes it
    digest, lines = sha256(), write(SessionFile(HEAD, (CREATED,))).splitlines(keepends=True)[:-1]
    for number in range(blobs):
        data = number.to_bytes(4, "big") * (MIB // 4)
        line = {"line": "blob", "sha256": sha256(data).hexdigest(), "data": base64.b64encode(data).decode()}
        lines.append(json.dumps(line, separators=(",", ":")).encode() + b"\n")
        for one in lines:
            digest.update(one)
            content.write(one)
        lines = []
    end = {"line": "end", "events": 1, "blobs": blobs, "sha256": digest.hexdigest()}
    content.write(json.dumps(end).encode() + b"\n")
    return content


async def test_a_file_takes_no_more_memory_however_many_blobs_it_has(memory: InMemory) -> None:
    blobs = Sizes()
    memory.engine.answers[IMPORT] = {"found": 0, "appended": 1, "total": 1}
    with large_file(48) as file:
        tracemalloc.start()
        try:
            done = await imports(memory, blobs).take(file, "keep", None)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert (done.events, done.blobs) == (1, 48)
    assert blobs.stored[:-1] == [MIB] * 48
    assert peak < 12 * MIB


async def test_a_file_takes_no_more_memory_however_many_events_it_has(memory: InMemory) -> None:
    blobs, count = Sizes(), 4_000
    said = [
        FileEvent(n, "ses.default.1.s_1.in.user_message", {}, f'{{"text":"{"x" * 5_000}"}}')
        for n in range(2, count + 1)
    ]
    memory.engine.answers[IMPORT] = {"found": 0, "appended": count, "total": count}
    with tempfile.TemporaryFile() as file:
        file.write(write(SessionFile(HEAD, (CREATED, *said))))
        said.clear()
        tracemalloc.start()
        try:
            done = await imports(memory, blobs).take(file, "keep", None)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert blobs.stored == [file.tell()]
    assert done.events == count
    assert peak < 2 * MIB


@pytest.mark.parametrize("broken", ["cut", "changed"])
async def test_nothing_of_a_file_that_is_broken_in_the_middle_is_stored(
    memory: InMemory, broken: str
) -> None:
    blobs = Sizes()
    several = tuple(FileBlob(sha256(data).hexdigest(), data) for data in (b"one", b"two", b"three"))
    whole = write(SessionFile(HEAD, (CREATED,), several))
    middle = len(whole) * 2 // 3
    damaged = whole[:middle] if broken == "cut" else whole[:middle] + b"~" + whole[middle + 1 :]
    with tempfile.TemporaryFile() as file:
        file.write(damaged)
        with pytest.raises(Rejected, match="can't be imported"):
            await imports(memory, blobs).take(file, "keep", None)
    assert (blobs.stored, memory.engine.asked) == ([], [])


@pytest.mark.parametrize("agent_id", [None, AgentId("other")])
async def test_its_blobs_count_for_the_agent_whose_session_it_becomes(
    memory: InMemory, agent_id: AgentId | None
) -> None:
    if agent_id is not None:
        await memory.operations.agents.make(NewAgent(name="Other", id=agent_id), asked())
    memory.engine.answers[IMPORT] = {"found": 0, "appended": 1, "total": 1}
    several = tuple(FileBlob(sha256(data).hexdigest(), data) for data in (b"one", b"two"))
    blobs = Sizes()
    with tempfile.TemporaryFile() as file:
        file.write(write(SessionFile(HEAD, (CREATED,), several)))
        done = await imports(memory, blobs).take(file, "keep", agent_id)
    owner = agent_id or DEFAULT_AGENT
    assert done.agent_id == owner
    assert blobs.owners == [owner, owner]
