"""What people deleted: whoever looks for it is told what is in its way, and goes on."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import msgspec
import pytest
from structlog.testing import capture_logs

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.erasures import Erasure
from agent_contracts.errors import Transient
from agent_contracts.ids import AgentId
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, Writer
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import Connection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.process.clock import SystemClock, rfc3339
from agent_platform.testing.servers import NatsForTest
from projector.erasing import erasures
from projector.erasing.erasures import Erasures
from projector.erasing.rewriting import Rewriting
from projector.rows.projection import LogProjection


async def nothing() -> list[str]:
    return []


@pytest.fixture
async def connection(nats_server: NatsForTest) -> AsyncIterator[Connection]:
    opened = await connect(nats_server.url, name="test")
    await ensure_streams(opened, StreamSettings())
    yield opened
    await opened.close()


async def test_a_listener_that_failed_is_told_and_listens_again(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasures, "_AGAIN_S", 0.01)
    found = Erasures(
        connection,
        "postgresql://127.0.0.1:1/none",
        SystemClock(),
        LogProjection(),
        Rewriting(nothing, SystemClock()),
    )
    tries = 0
    listens = asyncio.Event()

    async def listen(wanted: asyncio.Event, after: int) -> None:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise Transient("the stream can't be read")
        listens.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(found, "_listen", listen)
    with capture_logs() as logs:
        running = asyncio.create_task(found.run())
        await asyncio.wait_for(listens.wait(), 10)
    running.cancel()
    await asyncio.wait([running])
    told = [one["reason"] for one in logs if one["event"] == "erasure.put_off"]
    assert told == ["the stream can't be read"] * 2


@pytest.mark.parametrize(("ago", "counts"), [(1, True), (99, True), (101, False), (10_000, False)])
async def test_what_was_erased_shortly_before_a_start_has_the_tables_written_anew(
    connection: Connection, ago: int, counts: bool
) -> None:
    """Twice 50 minutes: what was erased before is written anew already."""
    clock = SystemClock()
    rewriting = Rewriting(nothing, clock)
    found = Erasures(connection, "postgresql://127.0.0.1:1/none", clock, LogProjection(), rewriting)
    done_at = clock.now() - timedelta(minutes=ago)
    key = EntityKey(AgentId("a1"), EntityKind.ERASED, "s_1")
    mark = Erasure("session", "s_1", ("s_1",), "r", rfc3339(done_at), by="user", done_at=rfc3339(done_at))
    await Entities(JetStreamLog(connection), clock, "/gateway").write(
        key, msgspec.to_builtins(mark), Writer.user("w1")
    )
    assert await found.carry_out()
    assert (rewriting._first is not None) is counts
