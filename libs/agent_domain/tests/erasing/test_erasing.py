"""What is left of an agent that was erased: nothing, and of others everything."""

import msgspec
import pytest

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_contracts.log.envelope import MESSAGE_ID
from agent_contracts.log.subjects import SECRETS_BUCKET
from agent_contracts.model_context import ModelContext
from agent_contracts.questions.mcp_logins import login_name
from agent_domain.erasing.blobs import TakenOut
from agent_domain.erasing.erasing import Erasing
from agent_domain.erasing.scope import Scope
from agent_platform.entities.entity import EntityKey
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import NewMessage
from agent_platform.nats.connection import connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.process.clock import SystemClock
from agent_platform.testing.servers import NatsForTest


@pytest.mark.parametrize("name", ["API_KEY", login_name("issues")])
async def test_no_value_of_a_secret_or_login_stays_of_an_agent(nats_server: NatsForTest, name: str) -> None:
    admin = await connect(nats_server.url, name="test")
    try:
        await ensure_streams(admin, StreamSettings())
        values = bucket(admin, SECRETS_BUCKET)
        for agent in ("gone", "stays"):
            await values.put(f"{agent}.{name}", b"sealed")
        await Erasing(admin, SystemClock()).erase(
            Scope("gone", AgentId("gone"), (), whole_agent=True), "asked"
        )
        assert list(await values.list()) == [f"stays.{name}"]
    finally:
        await admin.close()


async def test_what_others_named_while_it_was_taken_out_is_there_again(nats_server: NatsForTest) -> None:
    """A process that stored the same lately doesn't store it again, until it hears of the erasure."""
    admin = await connect(nats_server.url, name="test")
    try:
        await ensure_streams(admin, StreamSettings())
        log, store = JetStreamLog(admin), JetStreamBlobs(admin)
        shapes = (await store.put(b"[]")).sha256
        described = ModelContext(system=[], tools=[], clock=None, timezone="UTC", shapes=shapes)
        context = msgspec.json.encode(described)
        named, alone = await store.put(context), await store.put(b"nobody's")
        taken_out = TakenOut(admin, await log.last_sequence())
        for one in (named.sha256, shapes, alone.sha256):
            assert await taken_out.take(one)
        key = EntityKey(AgentId("stays"), EntityKind.STATE, "x")
        await log.append(NewMessage(key.subject, named.sha256.encode(), {MESSAGE_ID: "1"}))
        scope = Scope("gone", AgentId("gone"), (), whole_agent=True)
        assert await taken_out.put_back(log, scope) == 2
        fresh = JetStreamBlobs(admin)
        assert (await fresh.get(named.sha256), await fresh.get(shapes)) == (context, b"[]")
        with pytest.raises(Rejected, match="not stored here"):
            await fresh.get(alone.sha256)
    finally:
        await admin.close()
