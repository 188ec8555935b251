"""Code that asks for far more at once than anybody should: it gets it bit by bit, and others go on."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import structlog
from pydantic import SecretStr

from agent_contracts.ids import AgentId, CallId
from agent_contracts.json_value import Json
from agent_contracts.log.record.session_subjects import SessionKey, subject_of
from agent_contracts.session_events.decisions import ToolCallRequested
from agent_contracts.session_events.results import ToolCallCompleted
from agent_contracts.tool_spec import Effect, RunsOn
from agent_platform.log.event_message import event_message
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.result_offers import result_of
from agent_platform.nats.connection import connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.nats.user import NatsUser
from agent_platform.nats.users import nats_users
from agent_platform.process.clock import SystemClock
from agent_platform.services.consuming.ensuring import ensure_consumers
from agent_platform.services.discovery import consumers_of, discover, rights_of
from agent_platform.settings.shared import WorkSettings
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.agent_tools.world import SESSION
from tool_runner.app import serve
from tool_runner.settings import RunnerSettings

pytestmark = [pytest.mark.faults, pytest.mark.xdist_group("sandbox")]

BUSY, OTHER = AgentId("busy"), AgentId("other")
MANY = 200
FLOOD = f"""
const got = await Promise.all(Array.from({{ length: {MANY} }}, () => state.get('big').then((v) => v.length)))
return [got.length, new Set(got).size]
"""
SMALL_CALL = "await state.set('n', 1); return await state.get('n')"


class Caller:
    """Asks for calls on the log, and waits for their ends."""

    def __init__(self, log: JetStreamLog) -> None:
        self._log = log
        self._clock = SystemClock()
        self._calls = 0

    async def call(self, agent: AgentId, tool: str, **arguments: Json) -> Json:
        self._calls += 1
        call, key = CallId(f"c{self._calls}"), SessionKey(agent, SESSION)
        event = ToolCallRequested(call, tool, arguments, RunsOn.TOOLS, Effect.EXTERNAL)
        message, _ = event_message(event, subject_of(event, key), origin_of(event), self._clock)
        asked = await self._log.append(message)
        found = await eventually(lambda: result_of(self._log, key, call, after=asked), within=60)
        ended = found.event
        assert isinstance(ended, ToolCallCompleted), ended
        return ended.result

    async def run(self, agent: AgentId, code: str) -> Json:
        result = await self.call(agent, "run_sandbox_code", code=code)
        assert isinstance(result, dict)
        return result["result"]

    async def small_calls(self, until: Callable[[], bool]) -> int:
        """How many another agent could make, one after another, meanwhile."""
        made = 0
        while not until():
            assert await self.run(OTHER, SMALL_CALL) == 1
            made += 1
        return made


@pytest.fixture
async def caller(
    nats_servers: Callable[[list[NatsUser]], NatsForTest], tmp_path: Path
) -> AsyncIterator[Caller]:
    """NATS with the services' own users and limits, and one runner at work."""
    rights = rights_of(discover())
    server = nats_servers(nats_users(rights, {name: f"{name}-password" for name in ("admin", *rights)}))
    admin = await connect(server.url_for("admin"), name="test")
    await ensure_streams(admin, StreamSettings())
    await ensure_consumers(admin, consumers_of(discover(), WorkSettings()))
    settings = RunnerSettings(
        nats_url=f"nats://127.0.0.1:{server.port}",
        nats_credentials=SecretStr("runner:runner-password"),
        data_dir=tmp_path,
    )
    serving = asyncio.create_task(serve(settings))
    yield Caller(JetStreamLog(admin))
    serving.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.wait_for(serving, 60)
    await admin.close()


async def test_hundreds_of_megabytes_at_once_disconnect_nobody_and_others_go_on(caller: Caller) -> None:
    await caller.call(BUSY, "set_state", key="big", value="x" * 1_000_000)
    with structlog.testing.capture_logs() as lines:
        flood = asyncio.create_task(caller.run(BUSY, FLOOD))
        made = await caller.small_calls(until=flood.done)
        assert await flood == [MANY, 1]
    told = {line["event"] for line in lines}
    assert not told & {"nats.away", "nats.error", "sandbox.host_call_bug"}, told
    assert made >= 3
