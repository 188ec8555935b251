"""Blobs, in memory and on JetStream."""

import asyncio

import pytest

from agent_contracts.blob_ref import sha256_of
from agent_contracts.errors import Permanent, Rejected
from agent_platform.blobs.jetstream import SMALL, JetStreamBlobs
from agent_platform.blobs.port import Blobs
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import NewMessage
from agent_platform.nats.connection import Connection
from agent_platform.testing.memory_blobs import MemoryBlobs


@pytest.fixture(params=["memory", "jetstream"])
def blobs(request: pytest.FixtureRequest) -> Blobs:
    if request.param == "memory":
        return MemoryBlobs()
    return JetStreamBlobs(request.getfixturevalue("connection"))


@pytest.mark.parametrize("size", [0, 1, SMALL, SMALL + 1, 3 * SMALL])
async def test_a_blob_is_read_back_by_its_hash(blobs: Blobs, size: int) -> None:
    data = bytes(n % 251 for n in range(size))
    ref = await blobs.put(data, "image/png")
    assert (ref.sha256, ref.size, ref.media_type) == (sha256_of(data), size, "image/png")
    assert await blobs.get(ref.sha256) == data


@pytest.mark.parametrize("missing", ["0" * 64, "not a hash", "a.>", ""])
async def test_an_unknown_hash_is_not_found(blobs: Blobs, missing: str) -> None:
    with pytest.raises(Rejected) as caught:
        await blobs.get(missing)
    assert caught.value.kind == "not_found"


@pytest.mark.parametrize("size", [10, SMALL + 1])
async def test_the_same_bytes_put_by_many_at_once_are_there(connection: Connection, size: int) -> None:
    data = b"s" * size
    await asyncio.gather(*(JetStreamBlobs(connection).put(data) for _ in range(5)))
    await JetStreamBlobs(connection).put(data)
    assert await JetStreamBlobs(connection).get(sha256_of(data)) == data
    state = (await connection.api("STREAM.INFO.BLOB"))["state"]
    assert state["messages"] == (1 if size <= SMALL else 0)


async def test_bytes_stored_under_another_ones_hash_are_not_served(connection: Connection) -> None:
    hash_of_other = sha256_of(b"genuine")
    await JetStreamLog(connection, stream="BLOB").append(NewMessage(f"blob.{hash_of_other}", b"forged", {}))
    with pytest.raises(Permanent) as caught:
        await JetStreamBlobs(connection).get(hash_of_other)
    assert caught.value.kind == "blob_corrupt"


async def test_a_large_blob_is_an_object_to_every_nats_client(connection: Connection) -> None:
    data = b"L" * (SMALL + 1)
    ref = await JetStreamBlobs(connection).put(data)
    store = await connection.client.jetstream().object_store("objects")
    assert (await store.get(ref.sha256)).data == data
