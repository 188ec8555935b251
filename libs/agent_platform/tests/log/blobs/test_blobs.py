"""Blobs, in memory and on JetStream."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from agent_contracts.blob_ref import sha256_of
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.log.record.records import NewMessage
from agent_platform.log.blobs.jetstream import SMALL, JetStreamBlobs
from agent_platform.log.blobs.objects import PIECE
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs


@pytest.fixture(params=["memory", "jetstream"])
def blobs(request: pytest.FixtureRequest) -> Blobs:
    if request.param == "memory":
        return MemoryBlobs()
    return JetStreamBlobs(request.getfixturevalue("connection"))


@pytest.mark.parametrize("size", [0, 1, SMALL, SMALL + 1, 3 * SMALL])
async def test_a_blob_is_read_back_by_its_hash(blobs: Blobs, size: int) -> None:
    data = _some_bytes(size)
    ref = await blobs.put(data, "image/png")
    assert (ref.sha256, ref.size, ref.media_type) == (sha256_of(data), size, "image/png")
    assert await blobs.get(ref.sha256) == data


@pytest.mark.parametrize("missing", ["0" * 64, "not a hash", "a.>", ""])
async def test_an_unknown_hash_is_not_found(blobs: Blobs, missing: str) -> None:
    for asking in (blobs.get(missing), blobs.size(missing), anext(blobs.stream(missing))):
        with pytest.raises(Rejected) as caught:
            await asking
        assert caught.value.kind == "not_found"


@pytest.mark.parametrize("size", [0, 1, SMALL, SMALL + 1, 3 * SMALL, 3 * SMALL + 7])
async def test_what_comes_in_pieces_is_the_same_blob(blobs: Blobs, size: int) -> None:
    data = _some_bytes(size)
    ref = await blobs.put_stream(_in_pieces(data, 70_001), "text/csv")
    assert (ref.sha256, ref.size, ref.media_type) == (sha256_of(data), size, "text/csv")
    assert await blobs.get(ref.sha256) == data
    assert await blobs.size(ref.sha256) == size
    assert (await blobs.put(data)).sha256 == ref.sha256


@pytest.mark.parametrize("size", [1000, 3 * SMALL + 7])
@pytest.mark.parametrize(
    ("start", "end"),
    [
        (0, 1),
        (999, 1000),
        (10, None),
        (PIECE - 1, PIECE + 1),
        (2 * PIECE, 3 * PIECE),
        (3 * SMALL, None),
        (3 * SMALL + 6, 10**9),
        (10**9, None),
        (5, 5),
    ],
)
async def test_a_part_of_a_blob_is_read(blobs: Blobs, size: int, start: int, end: int | None) -> None:
    data = _some_bytes(size)
    ref = await blobs.put(data)
    read = [piece async for piece in blobs.stream(ref.sha256, start, end)]
    assert b"".join(read) == data[start:end]
    assert all(read)


@pytest.mark.parametrize("cut_after", [0, 100_000, SMALL + 1, 3 * SMALL])
@pytest.mark.parametrize("by", ["an error", "a cancellation"])
async def test_what_was_cut_off_is_found_under_no_hash(
    connection: NatsConnection, cut_after: int, by: str
) -> None:
    stuck = asyncio.Event()

    async def cut_off() -> AsyncIterator[bytes]:
        async for piece in _in_pieces(_some_bytes(cut_after), 70_001):
            yield piece
        stuck.set()
        if by == "an error":
            raise ConnectionError
        await asyncio.Event().wait()

    putting = asyncio.ensure_future(JetStreamBlobs(connection).put_stream(cut_off(), "text/csv"))
    await stuck.wait()
    if by == "a cancellation":
        putting.cancel()
    with suppress(asyncio.CancelledError, ConnectionError):
        await putting
    stored = {name: await connection.api(f"STREAM.INFO.{name}") for name in ("BLOB", "OBJ_objects")}
    assert stored["BLOB"]["state"]["messages"] == 0
    assert stored["OBJ_objects"]["state"]["messages"] <= 1, "what stands in the place of the pieces"
    assert stored["OBJ_objects"]["state"]["bytes"] < 500


async def test_the_same_large_bytes_are_kept_once(connection: NatsConnection) -> None:
    data = _some_bytes(2 * SMALL)
    await asyncio.gather(
        *(JetStreamBlobs(connection).put_stream(_in_pieces(data, 300_000), "") for _ in range(3))
    )
    assert await JetStreamBlobs(connection).get(sha256_of(data)) == data
    assert (await connection.api("STREAM.INFO.OBJ_objects"))["state"]["bytes"] < len(data) * 1.1


async def test_a_large_blob_that_lacks_a_piece_is_not_read_to_its_end(connection: NatsConnection) -> None:
    data = _some_bytes(3 * SMALL)
    blobs = JetStreamBlobs(connection)
    ref = await blobs.put(data)
    await connection.api("STREAM.MSG.DELETE.OBJ_objects", {"seq": 2})
    reading = blobs.stream(ref.sha256)
    for _ in range(4):
        assert await anext(reading)
    with pytest.raises(Permanent) as caught:
        await anext(reading)
    assert caught.value.kind == "blob_corrupt"
    with pytest.raises(Permanent):
        await blobs.get(ref.sha256)


@pytest.mark.parametrize("size", [10, SMALL + 1])
async def test_the_same_bytes_put_by_many_at_once_are_there(connection: NatsConnection, size: int) -> None:
    data = b"s" * size
    await asyncio.gather(*(JetStreamBlobs(connection).put(data) for _ in range(5)))
    await JetStreamBlobs(connection).put(data)
    assert await JetStreamBlobs(connection).get(sha256_of(data)) == data
    state = (await connection.api("STREAM.INFO.BLOB"))["state"]
    assert state["messages"] == (1 if size <= SMALL else 0)


@pytest.mark.parametrize("there", [0, 1, 2, 3])
async def test_of_several_only_what_is_missing_is_stored(blobs: Blobs, there: int) -> None:
    contents = [b"one", _some_bytes(SMALL + 1), b"three"]
    for data in contents[:there]:
        await blobs.put(data)
    await blobs.put_all(contents)
    await blobs.put_all(contents)
    assert [await blobs.get(sha256_of(data)) for data in contents] == contents


async def test_two_requests_say_that_all_of_several_are_there_and_stay(connection: NatsConnection) -> None:
    contents = [f"part {number}".encode() for number in range(40)]
    await JetStreamBlobs(connection).put_all(contents)
    before = connection.client.stats["out_msgs"]
    await JetStreamBlobs(connection).put_all(contents)
    assert connection.client.stats["out_msgs"] - before == 2
    state = (await connection.api("STREAM.INFO.BLOB"))["state"]
    assert state["messages"] == len(contents)
    assert state["last_seq"] == len(contents)


async def test_what_names_the_others_is_stored_after_them(connection: NatsConnection) -> None:
    parts = [f"part {number}".encode() for number in range(20)]
    await JetStreamBlobs(connection).put_all([*parts, b"names them"])
    last = await JetStreamLog(connection, stream="BLOB").get(21)
    assert last is not None
    assert last.data == b"names them"


async def test_bytes_stored_under_another_ones_hash_are_not_served(connection: NatsConnection) -> None:
    hash_of_other = sha256_of(b"genuine")
    await JetStreamLog(connection, stream="BLOB").append(NewMessage(f"blob.{hash_of_other}", b"forged", {}))
    with pytest.raises(Permanent) as caught:
        await JetStreamBlobs(connection).get(hash_of_other)
    assert caught.value.kind == "blob_corrupt"


async def test_a_large_blob_is_an_object_to_every_nats_client(connection: NatsConnection) -> None:
    data = b"L" * (SMALL + 1)
    ref = await JetStreamBlobs(connection).put(data)
    store = await connection.client.jetstream().object_store("objects")
    assert (await store.get(ref.sha256)).data == data


async def test_an_object_that_another_client_stored_is_read_in_parts(connection: NatsConnection) -> None:
    data = _some_bytes(2 * SMALL)
    store = await connection.client.jetstream().object_store("objects")
    await store.put(sha256_of(data), data)
    blobs = JetStreamBlobs(connection)
    assert (
        b"".join([piece async for piece in blobs.stream(sha256_of(data), 1_500_000, 1_500_010)])
        == (data[1_500_000:1_500_010])
    )
    assert await blobs.get(sha256_of(data)) == data


def _some_bytes(size: int) -> bytes:
    return (bytes(range(251)) * (size // 251 + 1))[:size]


async def _in_pieces(data: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]
