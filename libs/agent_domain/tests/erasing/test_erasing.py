"""What is left of an agent that was erased: nothing, and of others everything."""

import pytest

from agent_contracts.ids import AgentId
from agent_contracts.log.subjects import SECRETS_BUCKET
from agent_contracts.questions.mcp_logins import login_name
from agent_domain.erasing.erasing import Erasing
from agent_domain.erasing.scope import Scope
from agent_platform.log.bucket import bucket
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
