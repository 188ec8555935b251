"""The service as a process of its own, killed where it hurts: no message goes out twice."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent_contracts.channels.webhook import Webhook
from agent_contracts.entities.notifications import Channel
from agent_contracts.log.subjects import LOG_STREAM, NOTIFICATIONS_BUCKET, SNAPSHOTS_BUCKET
from agent_domain.notifications.book import NotificationBook
from agent_domain.secrets.key import SecretsKey, new_key
from agent_domain.secrets.settings import SecretsSettings
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings, stream_configs
from agent_platform.process.clock import SystemClock
from agent_platform.process.stop_points import STOP_DIR, arm, has_fired
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.egress.web import LocalServer, answered, local_server
from foldline_testing.notifier.chat import Chat
from foldline_testing.session_domain.story import answers, asks, says, wants

pytestmark = pytest.mark.faults

KEY = new_key()
NEEDED = (LOG_STREAM, f"KV_{NOTIFICATIONS_BUCKET}", f"KV_{SNAPSHOTS_BUCKET}")
_WITHIN_S = 30


@pytest.fixture
async def connection(nats_server: NatsForTest) -> AsyncIterator[NatsConnection]:
    made = await connect(nats_server.url, name="test")
    for config in (one for one in stream_configs(StreamSettings()) if one["name"] in NEEDED):
        await made.api(f"STREAM.CREATE.{config['name']}", config)
    yield made
    await made.close()


@asynccontextmanager
async def notifier(
    nats: NatsForTest, folder: Path, hook: LocalServer
) -> AsyncIterator[asyncio.subprocess.Process]:
    """The service, which may be killed by itself."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("FOLDLINE_")},
        "FOLDLINE_NATS_URL": nats.url,
        "FOLDLINE_SECRETS_KEY": KEY,
        "FOLDLINE_EGRESS_PRIVATE_HOSTS": f"127.0.0.1:{hook.port}",
        STOP_DIR: str(folder),
    }
    with (folder / "log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "notifier", env=environment, stdout=log, stderr=log
        )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(_WITHIN_S):
        while not holds():  # noqa: ASYNC110 — another process does it
            await asyncio.sleep(0.05)


async def asks_now(connection: NatsConnection, session_id: str) -> None:
    chat = await Chat(JetStreamLog(connection), SystemClock(), session_id).begins("A trip")
    await chat.given(says("plan"))
    call = wants(chat, "ask_user", pauses=True)
    await chat.given(answers(chat, calls=[call]), asks(call.call_id, f"Where, {session_id}?"))


@pytest.mark.parametrize(("where", "arrives"), [("notifier.begun", 0), ("notifier.sent", 1)])
async def test_a_kill_around_the_sending_loses_a_message_rather_than_send_it_twice(
    where: str, arrives: int, nats_server: NatsForTest, connection: NatsConnection, tmp_path: Path
) -> None:
    settings = SecretsSettings(secrets_key=SecretStr(KEY))
    book = NotificationBook(bucket(connection, NOTIFICATIONS_BUCKET), SecretsKey(settings))
    async with local_server(lambda _: answered(status=204)) as hook:
        target = Webhook(url=f"http://127.0.0.1:{hook.port}/", secret="whsec_" + "A" * 43 + "=")
        await book.put(Channel("hook", target))
        async with notifier(nats_server, tmp_path, hook) as first:
            desk = bucket(connection, NOTIFICATIONS_BUCKET)
            await eventually(lambda: desk.get("desk"), within=_WITHIN_S)
            arm(tmp_path, where)
            await asks_now(connection, "s_1")
            assert await asyncio.wait_for(first.wait(), _WITHIN_S) < 0
            assert has_fired(tmp_path, where)
        assert len(hook.seen) == arrives
        async with notifier(nats_server, tmp_path, hook):
            await asks_now(connection, "s_2")
            await until(lambda: len(hook.seen) > arrives)
            await asyncio.sleep(0.5)  # sleeps: quiet
        assert ["s_1?" in one for one in hook.seen] == [True] * arrives + [False]
        assert "s_2?" in hook.seen[-1]
