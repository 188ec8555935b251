"""Uploads without HTTP: what they count towards, and what is said where they fail half-way."""

from collections.abc import Awaitable, Callable, Iterator, Sequence

import pytest

from agent_contracts.api.files import StoredFile
from agent_contracts.api.wire import Page
from agent_contracts.blob_ref import sha256_of
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Rejected, Transient
from agent_contracts.log.record.records import Expect, NewMessage
from agent_domain.files.file import File, StoredContent
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.files.files import FileOfAgent, FileQuery
from gateway.operations.files.uploads import Destination, UploadedFile
from gateway.operations.files.writing import FilePlace, FileWrites
from gateway.operations.idempotency import IdempotentRequest, asked
from gateway.operations.spool import Spool, aside


@pytest.fixture
def room() -> Iterator[Spool]:
    with aside() as room:
        yield room


async def send(memory: InMemory, room: Spool, key: str | None = None, /, **files: bytes) -> Page[StoredFile]:
    await memory.operations.agents.keep_default()
    sent = []
    for name, data in files.items():
        room.begin()
        room.write(data)
        sent.append(UploadedFile(name, room.end()))
    return await memory.operations.uploads.take(sent, Destination(), room, key)


async def test_an_upload_beyond_what_an_agent_may_add_in_a_day_is_refused(room: Spool) -> None:
    memory = InMemory(log_limit=1_000_000)
    await send(memory, room, small=b"x")
    with pytest.raises(Rejected) as caught:
        await send(memory, room, large=bytes(1_000_000))
    assert caught.value.kind == "quota_exceeded"


async def test_files_beyond_what_an_agent_may_keep_are_refused_before_any_is_stored(room: Spool) -> None:
    memory = InMemory(kept_limit=400_000)
    await send(memory, room, a=bytes(100_000))
    with pytest.raises(Rejected) as caught:
        await send(memory, room, b=bytes(150_000), c=bytes(150_000))
    assert caught.value.kind == "too_large"
    with pytest.raises(Rejected, match="no blob"):
        await memory.blobs.get(sha256_of(bytes(150_000)))
    (a,) = (await send(memory, room, a=bytes(240_000))).items
    assert a.version == 2, "the next version of a file is in its place"


async def test_where_an_upload_fails_half_way_it_says_what_was_stored(
    memory: InMemory, room: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = FileWrites.put

    async def sometimes(
        self: FileWrites, place: FilePlace, content: StoredContent, request: IdempotentRequest
    ) -> File:
        if place.path == "b":
            raise Transient("NATS is away")
        return await put(self, place, content, request)

    await send(memory, room, a=b"0", b=b"0", c=b"0")
    with monkeypatch.context() as patched:
        patched.setattr(FileWrites, "put", sometimes)
        with pytest.raises(Transient) as caught:
            await send(memory, room, a=b"1", b=b"2", c=b"3", d=b"4")
    stored = (caught.value.details or {})["stored"]
    assert isinstance(stored, list)
    assert [one["path"] for one in stored if isinstance(one, dict)] == ["a", "c", "d"]
    assert "Of the 4 files 3 were stored" in caught.value.message
    again = (await send(memory, room, a=b"1", b=b"2", c=b"3", d=b"4")).items
    assert [(one.path, one.version) for one in again] == [("a", 2), ("b", 2), ("c", 2), ("d", 1)]


class Unforeseen(Exception):
    """A bug: no `Failure`, so nobody has words for it."""


PORTS = {
    "a file's write": (FileWrites, "put"),
    "new files": (MemoryLog, "append_together"),
    "the log": (MemoryLog, "append"),
    "what is there": (MemoryLog, "last_of_each"),
    "the bytes": (MemoryBlobs, "put_stream"),
}


@pytest.mark.parametrize("port", PORTS.values(), ids=PORTS)
@pytest.mark.parametrize("error", [Unforeseen, KeyError, MemoryError])
async def test_a_bug_in_any_part_is_not_taken_for_an_upload_that_went_well(
    memory: InMemory,
    room: Spool,
    monkeypatch: pytest.MonkeyPatch,
    port: tuple[type, str],
    error: type[Exception],
) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise error("a bug")

    await send(memory, room, a=b"0")
    with monkeypatch.context() as patched:
        patched.setattr(*port, fails)
        with pytest.raises(error):
            await send(memory, room, a=b"1", b=b"2")
    again = (await send(memory, room, a=b"1", b=b"2")).items
    assert [one.path for one in again] == ["a", "b"]


class Batches:
    """How many messages each atomic batch has, and what comes in just before one."""

    def __init__(self, memory: InMemory, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sizes: list[int] = []
        self.before: Callable[[], Awaitable[object]] | None = None
        together = memory.log.append_together

        async def counted(messages: Sequence[NewMessage], expects: Sequence[Expect | None]) -> int:
            self.sizes.append(len(messages))
            before, self.before = self.before, None
            if before is not None:
                await before()
            return await together(messages, expects)

        monkeypatch.setattr(memory.log, "append_together", counted)


async def test_new_files_are_made_many_at_once_beside_versions_of_others(
    memory: InMemory, room: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    await send(memory, room, f7=b"before")
    batches = Batches(memory, monkeypatch)
    files = {f"f{number}": str(number).encode() for number in range(600)}
    stored = (await send(memory, room, **files)).items
    assert [one.path for one in stored] == list(files)
    assert [one.path for one in stored if one.version == 2] == ["f7"]
    assert len({one.file_id for one in stored}) == 600
    assert batches.sizes == [2 * 249, 2 * 250, 2 * 100]
    listed = await memory.operations.files.list(DEFAULT_AGENT, FileQuery(limit=1_000))
    assert {one.path: one.sha256 for one in listed.items} == {
        path: sha256_of(data) for path, data in files.items()
    }


async def test_where_another_takes_a_path_meanwhile_his_file_gets_the_next_version(
    memory: InMemory, room: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches = Batches(memory, monkeypatch)
    with aside() as elsewhere:
        batches.before = lambda: send(memory, elsewhere, b=b"another's")
        stored = (await send(memory, room, a=b"1", b=b"2", c=b"3")).items
    assert [(one.path, one.version) for one in stored] == [("a", 1), ("b", 2), ("c", 1)]


async def test_the_same_key_makes_files_once_however_they_fared_since(memory: InMemory, room: Spool) -> None:
    first = (await send(memory, room, "k", a=b"1", b=b"2")).items
    [a, _] = first
    await memory.operations.files.delete(FileOfAgent(DEFAULT_AGENT, a.file_id), None, asked())
    again = (await send(memory, room, "k", a=b"1", b=b"2")).items
    assert again == first
    listed = await memory.operations.files.list(DEFAULT_AGENT, FileQuery())
    assert [one.path for one in listed.items] == ["b"], "what was deleted stays so"
