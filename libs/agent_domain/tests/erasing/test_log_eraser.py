"""What is left of an agent that was erased: nothing, and of others everything."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest
from nats.aio.msg import Msg

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.record.records import NewMessage
from agent_contracts.log.subjects import ALL_ERASED, ALL_REMOVALS, SECRETS_BUCKET
from agent_contracts.model_context import ModelContext
from agent_contracts.questions.mcp_logins import login_name
from agent_domain.erasing.blobs import BlobRemoval
from agent_domain.erasing.log_eraser import LogEraser
from agent_domain.erasing.progress import blobs_of
from agent_domain.erasing.scope import Scope
from agent_platform.entities.entity import EntityKey
from agent_platform.log.blobs.jetstream import SMALL, JetStreamBlobs
from agent_platform.log.blobs.removals import Removals
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.servers import NatsForTest

GONE = AgentId("gone")
STAYS = AgentId("stays")
SCOPE = Scope("gone", GONE, (), whole_agent=True)


@pytest.mark.parametrize("name", ["API_KEY", login_name("issues")])
async def test_no_value_of_a_secret_or_login_stays_of_an_agent(nats_server: NatsForTest, name: str) -> None:
    admin = await connect(nats_server.url, name="test")
    try:
        await ensure_streams(admin, StreamSettings())
        values = bucket(admin, SECRETS_BUCKET)
        for agent in ("gone", "stays"):
            await values.put(f"{agent}.{name}", b"sealed")
        await LogEraser(admin, SystemClock()).erase(
            Scope("gone", AgentId("gone"), (), whole_agent=True), "asked"
        )
        assert list(await values.list()) == [f"stays.{name}"]
    finally:
        await admin.close()


@pytest.mark.parametrize("size", [9, SMALL + 1, 5 * SMALL])
async def test_a_blob_that_others_named_while_it_was_taken_out_stays(
    nats_server: NatsForTest, size: int
) -> None:
    """A process that stored the same lately doesn't store it again, until it hears of the erasure."""
    async with _stored(nats_server) as (admin, log, store):
        shapes = (await store.put(b"s" * size)).sha256
        described = ModelContext(system=[], tools=[], timezone="UTC", shapes=shapes)
        context = msgspec.json.encode(described)
        named, alone = await store.put(context), await store.put(b"n" * size)
        removal = BlobRemoval(admin, GONE)
        await removal.mark([named.sha256, shapes, alone.sha256, "0" * 64], await log.last_sequence())
        assert await JetStreamBlobs(admin).get(alone.sha256) == b"n" * size, "it can be read meanwhile"
        await _name(log, named.sha256)
        assert await removal.finish(log, SCOPE) == 1
        fresh = JetStreamBlobs(admin)
        assert (await fresh.get(named.sha256), await fresh.get(shapes)) == (context, b"s" * size)
        with pytest.raises(Rejected, match="not stored here"):
            await fresh.get(alone.sha256)
        assert await _left_of_marks(admin) == []


@pytest.mark.parametrize("size", [9, 2 * SMALL])
@pytest.mark.parametrize("how", ["put", "put_all", "put_stream"])
async def test_bytes_that_are_stored_again_meanwhile_stay_before_anybody_names_them(
    nats_server: NatsForTest, size: int, how: str
) -> None:
    data = b"a" * size
    async with _stored(nats_server) as (admin, log, store):
        ref = await store.put(data)
        removal = BlobRemoval(admin, GONE)
        await removal.mark([ref.sha256], await log.last_sequence())
        store.forget_stored()
        await _put(store, how, data)
        assert await removal.finish(log, SCOPE) == 0
        assert await JetStreamBlobs(admin).get(ref.sha256) == data
        assert await _left_of_marks(admin) == []


@pytest.mark.parametrize("size", [9, 2 * SMALL])
@pytest.mark.parametrize("how", ["put", "put_all", "put_stream"])
async def test_bytes_that_are_stored_again_after_it_was_decided_are_there_once(
    nats_server: NatsForTest, size: int, how: str
) -> None:
    """Who removes is cut off right after it decided, and does it again."""
    data = b"a" * size
    async with _stored(nats_server) as (admin, log, store):
        ref = await store.put(data)
        removal = BlobRemoval(admin, GONE)
        await removal.mark([ref.sha256], await log.last_sequence())
        (mark,) = await Removals(admin).of(GONE)
        assert await Removals(admin).decide(mark)
        storing = asyncio.create_task(_put(JetStreamBlobs(admin), how, data))
        await asyncio.wait([storing], timeout=0 if size < SMALL else None)
        assert await BlobRemoval(admin, GONE).finish(log, SCOPE) == 1
        await storing
        assert await JetStreamBlobs(admin).get(ref.sha256) == data
        assert await _left_of_marks(admin) == []
        objects = (await admin.api("STREAM.INFO.OBJ_objects"))["state"]["bytes"]
        assert objects < len(data) * 1.1 + 2_000, "the pieces that were removed don't stay"


async def test_what_another_agents_erasure_marked_is_left_to_it(nats_server: NatsForTest) -> None:
    async with _stored(nats_server) as (admin, log, store):
        ref = await store.put(b"a")
        await BlobRemoval(admin, AgentId("other")).mark([ref.sha256], await log.last_sequence())
        assert await BlobRemoval(admin, GONE).finish(log, SCOPE) == 0
        assert await BlobRemoval(admin, AgentId("other")).finish(log, SCOPE) == 1


async def test_a_process_stores_again_what_it_stored_before_an_erasure(nats_server: NatsForTest) -> None:
    """Also one that was disconnected when it was told."""
    async with _stored(nats_server) as (admin, log, _):
        blobs = await blobs_of(admin, "test")
        ref = await blobs.put(b"mine")
        erasing = LogEraser(admin, SystemClock())
        await _name(log, ref.sha256, GONE)
        assert (await erasing.erase(SCOPE, "asked")).blobs == 1
        await blobs.put(b"mine")
        assert await JetStreamBlobs(admin).get(ref.sha256) == b"mine"
        await admin.api("STREAM.PURGE.BLOB")
        admin.epoch += 1
        await blobs.put(b"mine")
        assert await JetStreamBlobs(admin).get(ref.sha256) == b"mine"


async def test_two_chats_that_share_a_large_file_lose_it_only_together(nats_server: NatsForTest) -> None:
    """The other names it while the erasure is under way, without storing it: it did so before."""
    async with _stored(nats_server) as (admin, log, store):
        ref = await store.put(b"f" * 3 * SMALL)
        await _name(log, ref.sha256, GONE)

        async def name(_: Msg) -> None:
            await _name(log, ref.sha256)

        await admin.subscribe(ALL_ERASED, name)
        assert (await LogEraser(admin, SystemClock()).erase(SCOPE, "asked")).blobs == 0
        assert await JetStreamBlobs(admin).size(ref.sha256) == 3 * SMALL


@asynccontextmanager
async def _stored(
    nats_server: NatsForTest,
) -> AsyncIterator[tuple[NatsConnection, JetStreamLog, JetStreamBlobs]]:
    admin = await connect(nats_server.url, name="test")
    try:
        await ensure_streams(admin, StreamSettings())
        yield admin, JetStreamLog(admin), JetStreamBlobs(admin)
    finally:
        await admin.close()


async def _name(log: JetStreamLog, sha256: str, agent_id: AgentId = STAYS) -> None:
    key = EntityKey(agent_id, EntityKind.STATE, "x")
    await log.append(NewMessage(key.subject, sha256.encode(), {MESSAGE_ID: f"{agent_id}-{sha256}"}))


async def _put(blobs: JetStreamBlobs, how: str, data: bytes) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield data

    if how == "put_stream":
        await blobs.put_stream(pieces(), "")
    elif how == "put_all":
        await blobs.put_all([data, b"another", b"and one"])
    else:
        await blobs.put(data)


async def _left_of_marks(admin: NatsConnection) -> list[str]:
    found = await JetStreamLog(admin, stream="OBJ_objects").last_of_each(ALL_REMOVALS)
    return [one.subject for one in found]
