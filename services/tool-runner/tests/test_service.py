"""The service with no more rights than its own user has, from request to result on a real log."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import structlog
from pydantic import SecretStr

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.log.record.records import NewMessage
from agent_contracts.log.subjects import CATALOG_BUCKET
from agent_contracts.packs import PackAbout
from agent_contracts.session_events.results import ToolCallCompleted
from agent_contracts.tool_spec import Catalogue, Effect
from agent_domain.catalog import Catalog
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.nats.user import NatsUser
from agent_platform.nats.users import nats_users
from agent_platform.services.consuming.ensuring import ensure_consumers
from agent_platform.services.discovery import consumers_of, discover, rights_of
from agent_platform.settings.shared import WorkSettings
from agent_tools.hosting.host import publish
from agent_tools.registry import Pack
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.egress.web import answered, local_server
from foldline_testing.tool_runner.world import World
from tool_runner.app import serve
from tool_runner.settings import RunnerSettings

StartNats = Callable[[list[NatsUser]], NatsForTest]


@pytest.fixture
def server(nats_servers: StartNats) -> NatsForTest:
    """NATS with every service's user, each with its own rights."""
    rights = rights_of(discover())
    return nats_servers(nats_users(rights, {name: f"{name}-password" for name in ("admin", *rights)}))


@pytest.fixture
async def admin(server: NatsForTest) -> AsyncIterator[NatsConnection]:
    """May do everything; made the streams."""
    connection = await connect(server.url_for("admin"), name="test")
    await ensure_streams(connection, StreamSettings())
    await ensure_consumers(connection, consumers_of(discover(), WorkSettings(ack_wait=2)))
    yield connection
    await connection.close()


@pytest.fixture
async def world(
    server: NatsForTest, admin: NatsConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[World]:
    """The log, with one runner at work on it that came in as `runner`."""
    monkeypatch.setenv("FOLDLINE_SELFTEST_FILE", str(tmp_path / "acts"))
    async with working(server, tmp_path):
        yield World(log=JetStreamLog(admin))


@contextlib.asynccontextmanager
async def working(server: NatsForTest, data_dir: Path, **more: Any) -> AsyncIterator[None]:
    """The service works as the user `runner`; `more` are settings."""
    settings = RunnerSettings(
        nats_url=f"nats://127.0.0.1:{server.port}",
        nats_credentials=SecretStr("runner:runner-password"),
        ack_wait=2,
        data_dir=data_dir,
        selftest_tools=True,
        **more,
    )
    serving = asyncio.create_task(serve(settings))
    try:
        yield
    finally:
        serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait_for(serving, 60)


async def run(world: World, tool: str, arguments: dict[str, Any], **more: Any) -> Any:
    """Ask for a call and wait for the event that ends it."""
    await world.request(tool, arguments, **more)
    recorded = await eventually(lambda: world.result(more.get("call_id", "c1")))
    return recorded.event


async def test_every_kind_of_tool_works_with_the_runners_own_rights(
    world: World, admin: NatsConnection
) -> None:
    blobs: Blobs = JetStreamBlobs(admin)
    with structlog.testing.capture_logs() as lines:
        event = await run(
            world, "set_state", {"key": "a b", "value": [1]}, call_id="c1", effect=Effect.RECORDED
        )
        assert event.result == {"ok": True}
        event = await run(world, "list_state_keys", {}, call_id="c2")
        assert event.result == {"keys": ["a b"]}
        tool = {"name": "get_state", "description": "d", "parameter_schema": {"type": "object"}, "code": ""}
        event = await run(world, "create_tool", tool, call_id="c5", effect=Effect.RECORDED)
        assert event.error.path == "/name"
        event = await run(world, "ask_user", {"question": "Which?"}, call_id="c3")
        assert event.show["question"] == "Which?"
        event = await run(world, "selftest_external", {}, call_id="c4", effect=Effect.EXTERNAL)
        assert event.result["target"].endswith("acts")
        for number, size in enumerate((300_000, 3_000_000)):
            event = await run(world, "selftest_big", {"bytes": size}, call_id=f"d{number}")
            whole = await blobs.get(event.excerpt.blob.sha256)
            assert len(msgspec.json.decode(whole)["text"]) == size
    assert [line for line in lines if line["log_level"] in ("error", "critical")] == []


async def test_the_longest_value_and_the_longest_arguments_fit(world: World) -> None:
    value = "é" * (512 * 1024 - 1)
    event = await run(world, "set_state", {"key": "k", "value": value}, call_id="c1")
    assert event.result == {"ok": True}
    event = await run(world, "get_state", {"key": "k"}, call_id="c2")
    assert event.excerpt.blob.size > 1024 * 1024


async def test_a_request_that_cant_be_read_is_passed_over_and_those_after_it_run(world: World) -> None:
    good = await world.request("send_message", {"text": "fine"}, call_id="c0")
    headers = {**good.headers, "Nats-Msg-Id": "poison"}
    subject = good.subject.replace("c0", "c1")
    await world.log.append(NewMessage(subject, b'{"call_id":', headers))
    await world.request("send_message", {"text": "after it"}, call_id="c2")
    recorded: Any = await eventually(lambda: world.result("c2"))
    assert isinstance(recorded.event, ToolCallCompleted)
    assert await world.result("c1") is None


async def test_a_failure_of_our_own_parts_is_tried_again_and_then_given_up(
    world: World, admin: NatsConnection
) -> None:
    event = await run(world, "selftest_fail", {"how": "transient", "message": "no luck", "retry_after_ms": 1})
    assert event.error.kind is ErrorKind.INTERNAL
    assert "no luck" in event.error.message
    assert "attempt 5" in event.error.message


@pytest.mark.parametrize("through_proxy", [True, False])
async def test_an_agents_request_goes_through_the_proxy_only_where_the_setting_says_so(
    server: NatsForTest,
    admin: NatsConnection,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    through_proxy: bool,
) -> None:
    async with (
        local_server(lambda _: answered(b"by the proxy")) as proxy,
        local_server(lambda _: answered(b"directly")) as near,
    ):
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        more = {"egress_through_proxy": through_proxy, "egress_private_hosts": f"127.0.0.1:{near.port}"}
        async with working(server, tmp_path, **more):
            world = World(log=JetStreamLog(admin))
            far = {"url": "http://pages.test/x"}
            event = await run(world, "fetch_url", far, call_id="c1", effect=Effect.EXTERNAL)
            private = {"url": f"http://127.0.0.1:{near.port}/y"}
            other = await run(world, "fetch_url", private, call_id="c2", effect=Effect.EXTERNAL)
    assert other.result["body"] == "directly", "the proxy can't see a private address"
    first_lines = [one.split("\r\n")[0] for one in proxy.seen]
    if through_proxy:
        assert event.result["body"] == "by the proxy"
        assert first_lines == ["GET http://pages.test:80/x HTTP/1.1"]
    else:
        assert event.error.kind is ErrorKind.UPSTREAM, "no such name is known here"
        assert first_lines == []


async def test_without_an_address_the_service_says_which_setting_is_missing(tmp_path: Path) -> None:
    with pytest.raises(Rejected, match="FOLDLINE_NATS_URL"):
        await serve(RunnerSettings(data_dir=tmp_path))


async def test_a_pack_that_is_installed_no_more_leaves_the_catalogue(admin: NatsConnection) -> None:
    catalog = Catalog(bucket(admin, CATALOG_BUCKET))
    await catalog.put(Catalogue("gone", "1", [], about=PackAbout("Gone", "")))
    await catalog.put(Catalogue("workspace", "1", []))
    there = Pack("there", "1", (), about=PackAbout("There", ""))
    await publish(catalog, [Pack("core", "1", ()), there], every_pack=True)
    assert (await catalog.list()).keys() == {"core", "there", "workspace"}
