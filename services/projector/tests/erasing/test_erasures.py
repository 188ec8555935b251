"""What people deleted: whoever looks for it is told what is in its way, and goes on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.erasures import Erasure
from agent_contracts.errors import Transient
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.session_subjects import SessionKey
from agent_domain.erasing.log_eraser import ErasureReport
from agent_domain.erasing.scope import Family, Scope
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.process.clock import SystemClock, rfc3339
from foldline_testing.agent_platform.servers import NatsForTest
from projections.project.log_projection import LogProjection
from projector.erasing import erasures, rows
from projector.erasing.erasures import Erasures
from projector.erasing.table_rewriter import TableRewriter


async def nothing() -> list[str]:
    return []


@pytest.fixture
async def connection(nats_server: NatsForTest) -> AsyncIterator[NatsConnection]:
    opened = await connect(nats_server.url, name="test")
    await ensure_streams(opened, StreamSettings())
    yield opened
    await opened.close()


async def test_a_listener_that_failed_is_told_and_listens_again(
    connection: NatsConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasures, "_AGAIN_S", 0.01)
    found = Erasures(
        connection,
        "postgresql://127.0.0.1:1/none",
        SystemClock(),
        LogProjection(),
        TableRewriter(nothing, SystemClock()),
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
    told = [one["reason"] for one in logs if one["event"] == "erasure.interrupted"]
    assert told == ["the stream can't be read"] * 2


@pytest.mark.parametrize(("ago", "counts"), [(1, True), (99, True), (101, False), (10_000, False)])
async def test_what_was_erased_shortly_before_a_start_has_the_tables_written_anew(
    connection: NatsConnection, ago: int, counts: bool
) -> None:
    """Twice 50 minutes: what was erased before is written anew already."""
    clock = SystemClock()
    rewriting = TableRewriter(nothing, clock)
    found = Erasures(connection, "postgresql://127.0.0.1:1/none", clock, LogProjection(), rewriting)
    done_at = clock.now() - timedelta(minutes=ago)
    key = EntityKey(AgentId("a1"), EntityKind.ERASED, "s_1")
    mark = Erasure("session", "s_1", ("s_1",), "r", rfc3339(done_at), by="user", done_at=rfc3339(done_at))
    await Entities(JetStreamLog(connection), clock, event_sources.GATEWAY).write(
        key, msgspec.to_builtins(mark), EntityWriter.user("w1")
    )
    assert await found.carry_out()
    assert (rewriting._first is not None) is counts


async def marked(connection: NatsConnection, key: str, mark: Erasure) -> None:
    entities = Entities(JetStreamLog(connection), SystemClock(), event_sources.GATEWAY)
    where = EntityKey(AgentId("a1"), EntityKind.ERASED, key)
    await entities.write(where, msgspec.to_builtins(mark), EntityWriter.user(f"w-{key}"))


def unreachable(connection: NatsConnection) -> Erasures:
    """Without tables, so it may look but not carry out."""
    clock = SystemClock()
    return Erasures(
        connection, "postgresql://127.0.0.1:1/none", clock, LogProjection(), TableRewriter(nothing, clock)
    )


async def test_what_waits_is_what_people_marked_under_its_own_name(connection: NatsConnection) -> None:
    now = rfc3339(SystemClock().now())
    mark = Erasure("session", "s_1", ("s_1",), "r", now, by="user")
    await marked(connection, "s_1", mark)
    await marked(connection, "s_2", mark)
    await marked(connection, "s_3", msgspec.structs.replace(mark, named="s_3", by="operator"))
    await marked(connection, "s_4", msgspec.structs.replace(mark, named="s_4", done_at=now))
    waiting = await unreachable(connection)._pending()
    assert {agent: [one.named for one in marks] for agent, marks in waiting.items()} == {"a1": ["s_1"]}


async def test_rows_are_gone_before_the_log_is_and_what_came_meanwhile_after_it(
    connection: NatsConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody finds a row whose event is gone; a row that is written while the log is erased goes as well."""
    order: list[str] = []

    @asynccontextmanager
    async def tables(dsn: str) -> AsyncIterator[None]:
        yield None

    async def may(*_: object) -> bool:
        return True

    async def rows_out(tables: object, scope: Scope, up_to: int) -> None:
        order.append("rows")

    async def log_out(scope: Scope) -> ErasureReport:
        order.append("log")
        return await erase(scope)

    found = unreachable(connection)
    erase = found._erasing.take_out
    monkeypatch.setattr(rows, "tables", tables)
    monkeypatch.setattr(rows, "take_out", rows_out)
    monkeypatch.setattr(erasures, "try_lock", may)
    monkeypatch.setattr(found._erasing, "take_out", log_out)
    mark = Erasure("session", "s_1", ("s_1",), "r", rfc3339(SystemClock().now()), by="user")
    await marked(connection, "s_1", mark)
    assert await found.carry_out()
    assert order == ["rows", "log", "rows"]
    assert not await found._pending()


def family(name: str, *forks: str) -> Family:
    return Family((SessionKey(AgentId("a1"), SessionId(name)),), tuple(map(SessionId, forks)))


@pytest.mark.parametrize(
    ("forks", "free"),
    [
        ({"a": (), "b": ()}, ["a", "b"]),
        ({"a": ("b",), "b": ()}, ["a", "b"]),
        ({"a": ("kept",), "b": ()}, ["b"]),
        ({"a": ("b",), "b": ("kept",)}, []),
        ({"a": ("b",), "b": ("c",), "c": ("kept",), "d": ()}, ["d"]),
    ],
)
def test_what_a_kept_session_begins_with_waits_and_so_does_what_that_one_begins_with(
    forks: dict[str, Any], free: list[str]
) -> None:
    assert erasures._free({name: family(name, *others) for name, others in forks.items()}) == free
