"""The gateway as a process of its own: with its NATS user's rights, stopped in order, killed in mid-write."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from agent_contracts.errors import Rejected
from agent_contracts.log.subjects import ALL_SESSIONS
from agent_domain.starters import STARTERS
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.nats.user import NatsUser
from agent_platform.nats.users import ADMIN, nats_users
from agent_platform.process.stop_points import STOP_DIR, arm
from agent_platform.services.discovery import discover, rights_of
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.agent_platform.warm import WarmProcess, WarmProgram
from foldline_testing.gateway.running import NO_POSTGRES, TOKEN, listen_to
from gateway.__main__ import main
from gateway.app import serve
from gateway.door.server import listen
from gateway.settings import GatewaySettings

GATEWAY = WarmProgram(main)
RIGHTS = rights_of(discover())
PASSWORDS = {name: f"password-{name}" for name in (ADMIN, *RIGHTS)}
StartNats = Callable[[list[NatsUser]], NatsForTest]
Run = Callable[..., Awaitable[tuple[WarmProcess, httpx.AsyncClient]]]


@pytest.fixture
async def nats(nats_servers: StartNats) -> NatsForTest:
    """A server with every user's own rights, and the streams."""
    server = nats_servers(nats_users(RIGHTS, PASSWORDS))
    admin = await connect(server.url_for(ADMIN), name="test")
    await ensure_streams(admin, StreamSettings())
    await admin.close()
    return server


def environment(nats: NatsForTest, port: int, folder: Path, **more: str) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("FOLDLINE_")},
        "FOLDLINE_NATS_URL": f"nats://127.0.0.1:{nats.port}",
        "FOLDLINE_NATS_CREDENTIALS": f"gateway:{PASSWORDS['gateway']}",
        "FOLDLINE_POSTGRES_DSN": NO_POSTGRES,
        "FOLDLINE_TOKEN": TOKEN,
        "FOLDLINE_PORT": str(port),
        "FOLDLINE_DATA_DIR": str(folder),
        **more,
    }


@pytest.fixture
async def run(nats: NatsForTest, tmp_path: Path) -> AsyncIterator[Run]:
    """Starts `python -m gateway` and waits until it is ready."""
    async with AsyncExitStack() as stack:

        async def start(**more: str) -> tuple[WarmProcess, httpx.AsyncClient]:
            with listen("127.0.0.1", 0) as free:
                port = free.getsockname()[1]
            process = await GATEWAY.start(environment(nats, port, tmp_path, **more), tmp_path)

            async def end() -> None:
                if process.returncode is None:
                    process.kill()
                await process.wait()

            stack.push_async_callback(end)
            client = await stack.enter_async_context(
                httpx.AsyncClient(
                    base_url=f"http://127.0.0.1:{port}",
                    headers={"Authorization": f"Bearer {TOKEN}"},
                    timeout=60,
                )
            )
            async with asyncio.timeout(90):
                while not await _ready(client):
                    assert process.returncode is None
                    await asyncio.sleep(0.05)
            return process, client

        yield start


async def _ready(client: httpx.AsyncClient) -> bool:
    try:
        return (await client.get("/readyz")).status_code == 200
    except httpx.TransportError:
        return False


async def test_its_nats_user_may_do_all_that_it_does(run: Run) -> None:
    _, client = await run()
    session = (await client.post("/api/v1/sessions", json={"message": "hi"})).json()["id"]
    received: list[Any] = []
    async with asyncio.timeout(60), aclosing(listen_to(client, session_id=session, after=0)) as stream:  # type: ignore[type-var]
        async for one in stream:
            received.append(one)
            if len(received) == 2:
                await client.post(f"/api/v1/sessions/{session}/messages", json={"text": "live"})
            if len(received) == 3:
                break
    assert received[2].data["body"] == {"text": "live"}
    page = await client.get(f"/api/v1/sessions/{session}/events")
    assert len(page.json()["items"]) == 3
    for path in ("state", "model-calls/1"):
        answer = await client.get(f"/api/v1/sessions/{session}/{path}")
        assert (answer.status_code, answer.json()["kind"]) == (503, "unavailable")
        assert "nobody serves" in answer.json()["detail"]


async def test_sigterm_stops_it_soon_with_streams_open(run: Run) -> None:
    process, client = await run()
    async with asyncio.timeout(60), client.stream("GET", "/api/v1/events") as answer:
        process.send_signal(signal.SIGTERM)
        with_end = [line async for line in answer.aiter_lines()]
        assert await process.wait() == 0
    assert with_end


async def talk(client: httpx.AsyncClient, key: str) -> str:
    """Create a session with a message and say one more thing, all under one key."""
    headers = {"Idempotency-Key": key}
    created = await client.post("/api/v1/sessions", json={"message": "hello"}, headers=headers)
    session = str(created.json()["id"])
    said = await client.post(f"/api/v1/sessions/{session}/messages", json={"text": "x"}, headers=headers)
    assert said.status_code == 202
    return session


@pytest.mark.faults
@pytest.mark.parametrize("nth", [1, 3])
async def test_killed_between_the_log_and_the_answer_a_repeat_writes_nothing_twice(
    run: Run, nats: NatsForTest, tmp_path: Path, nth: int
) -> None:
    arm(tmp_path, "gateway.appended", nth)
    process, client = await run(**{STOP_DIR: str(tmp_path)})
    with pytest.raises(httpx.TransportError):
        await talk(client, "key")
    assert await process.wait() == -signal.SIGKILL
    admin = await connect(nats.url_for(ADMIN), name="test")
    events = JetStreamLog(admin)
    assert len([message async for message in events.read(ALL_SESSIONS)]) == nth
    _, client = await run()
    session = await talk(client, "key")
    kinds = [message.subject.rpartition(".")[2] async for message in events.read(f"ses.*.*.{session}.>")]
    await admin.close()
    assert kinds == ["created", "user_message", "user_message"]


async def test_settings_that_cannot_be_are_refused_before_anybody_can_connect(tmp_path: Path) -> None:
    open_door = GatewaySettings(data_dir=tmp_path, host="0.0.0.0", port=0, token=SecretStr("off"))
    with pytest.raises(Rejected, match="FOLDLINE_TOKEN"):
        await serve(open_door)
    for missing, settings in [
        ("FOLDLINE_POSTGRES_DSN", GatewaySettings(data_dir=tmp_path, port=0)),
        (
            "FOLDLINE_NATS_URL",
            GatewaySettings(data_dir=tmp_path, port=0, postgres_dsn=SecretStr(NO_POSTGRES)),
        ),
    ]:
        with pytest.raises(Rejected, match=missing):
            await serve(settings)


async def test_credentials_that_are_no_pair_are_refused_as_by_every_service(tmp_path: Path) -> None:
    settings = GatewaySettings(
        data_dir=tmp_path,
        port=0,
        postgres_dsn=SecretStr(NO_POSTGRES),
        nats_url="nats://127.0.0.1:1",
        nats_credentials=SecretStr("gateway"),
    )
    with pytest.raises(Rejected, match="FOLDLINE_NATS_CREDENTIALS must be user:password"):
        await serve(settings)


def test_a_taken_port_is_refused_since_nobody_would_look_on_another() -> None:
    with listen("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(Rejected, match=f"FOLDLINE_PORT: can't listen on 127.0.0.1:{port}"):
            listen("127.0.0.1", port)


def test_a_host_that_is_not_ours_is_refused_by_name() -> None:
    with pytest.raises(Rejected, match="FOLDLINE_HOST"):
        listen("192.0.2.1", 0)


async def test_the_default_agent_is_made_at_the_first_start_and_left_alone_at_the_next(
    run: Run, nats: NatsForTest
) -> None:
    admin = await connect(nats.url_for(ADMIN), name="test")
    events = JetStreamLog(admin)

    for _ in range(2):
        _, client = await run()
        assert (await client.get("/readyz")).json()["checks"]["default agent"] == "ok"
        assert await events.last_sequence() == len(STARTERS) + 2
        agents = (await client.get("/api/v1/agents")).json()["items"]
        assert [(agent["id"], agent["version"]) for agent in agents] == [("default", 1)]
    await admin.close()
