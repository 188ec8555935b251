"""Uploads without HTTP: what they count towards, and what is said where they fail half-way."""

from collections.abc import Iterator

import pytest

from agent_contracts.errors import Rejected, Transient
from agent_domain.files.file import File, Stored
from gateway.operations.aside import Aside, aside
from gateway.operations.asked import Asked
from gateway.operations.files.uploads import Destination, Sent
from gateway.operations.files.views import UploadedFiles
from gateway.operations.files.writing import FileWrites, Place
from gateway.testing.in_memory import InMemory


@pytest.fixture
def room() -> Iterator[Aside]:
    with aside() as room:
        yield room


async def send(memory: InMemory, room: Aside, **files: bytes) -> UploadedFiles:
    await memory.operations.agents.keep_default()
    sent = []
    for name, data in files.items():
        room.begin()
        room.write(data)
        sent.append(Sent(name, room.end()))
    return await memory.operations.uploads.take(sent, Destination(), room, None)


async def test_an_upload_beyond_what_an_agent_may_add_in_a_day_is_refused(room: Aside) -> None:
    memory = InMemory(log_limit=1_000_000)
    await send(memory, room, small=b"x")
    with pytest.raises(Rejected) as caught:
        await send(memory, room, large=bytes(1_000_000))
    assert caught.value.kind == "quota_exceeded"


async def test_files_beyond_what_an_agent_may_have_are_refused_before_any_is_stored(
    memory: InMemory, room: Aside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent_domain.files.rules.AGENT_FILES_LIMIT", 250)
    monkeypatch.setattr("agent_domain.files.files.AGENT_FILES_LIMIT", 250)
    await send(memory, room, a=bytes(100))
    with pytest.raises(Rejected) as caught:
        await send(memory, room, b=bytes(100), c=bytes(100))
    assert caught.value.kind == "too_large"
    (a,) = (await send(memory, room, a=bytes(240))).files
    assert a.version == 2, "the next version of a file is in its place"


async def test_where_an_upload_fails_half_way_it_says_what_was_stored(
    memory: InMemory, room: Aside, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = FileWrites.put

    async def sometimes(self: FileWrites, place: Place, content: Stored, request: Asked) -> File:
        if place.path == "b":
            raise Transient("NATS is away")
        return await put(self, place, content, request)

    with monkeypatch.context() as patched:
        patched.setattr(FileWrites, "put", sometimes)
        with pytest.raises(Transient) as caught:
            await send(memory, room, a=b"1", b=b"2", c=b"3")
    stored = (caught.value.details or {})["stored"]
    assert isinstance(stored, list)
    assert [one["path"] for one in stored if isinstance(one, dict)] == ["a", "c"]
    assert "Of the 3 files 2 were stored" in caught.value.message
    again = (await send(memory, room, a=b"1", b=b"2", c=b"3")).files
    assert [(one.path, one.version) for one in again] == [("a", 1), ("b", 1), ("c", 1)]
