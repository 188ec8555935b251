"""What is left of an agent that was erased: nothing, and of others everything."""

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.erasures import Erasure
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.log.record.session_subjects import SessionKey, subject_of
from agent_contracts.log.subjects import (
    BUDGETS_BUCKET,
    QUOTAS_BUCKET,
    SECRETS_BUCKET,
    SITE_LOGINS_BUCKET,
    SNAPSHOTS_BUCKET,
    database_snapshots_key,
)
from agent_contracts.questions.mcp_logins import login_name
from agent_contracts.session_events.decisions import Completed, Failed
from agent_contracts.session_events.inputs import Archived, Created, Reopened
from agent_contracts.session_events.union import SessionEvent
from agent_domain.budgets.pace import pace_key
from agent_domain.erasing.log_eraser import LogEraser
from agent_domain.erasing.scope import Scope
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
from agent_platform.log.bucket import bucket
from agent_platform.log.event_message import event_message
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.quotas.room import kept_key
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.agent_platform.servers import NatsForTest

GONE, STAYS = AgentId("gone"), AgentId("stays")


@pytest.fixture
async def admin(nats_server: NatsForTest) -> AsyncIterator[NatsConnection]:
    connection = await connect(nats_server.url, name="test")
    await ensure_streams(connection, StreamSettings())
    yield connection
    await connection.close()


def kept_of(agent: AgentId) -> dict[str, list[str]]:
    """Keys that hold something of an agent, by bucket."""
    return {
        SECRETS_BUCKET: [f"{agent}.API_KEY", f"{agent}.{login_name('issues')}"],
        SITE_LOGINS_BUCKET: [f"{agent}.shop_test"],
        BUDGETS_BUCKET: [pace_key(agent)],
        QUOTAS_BUCKET: [agent, kept_key(agent)],
        SNAPSHOTS_BUCKET: [database_snapshots_key(agent)],
    }


async def test_nothing_of_an_agent_stays_in_any_bucket_and_all_of_others_does(admin: NatsConnection) -> None:
    for agent in (GONE, STAYS):
        for name, keys in kept_of(agent).items():
            for key in keys:
                await bucket(admin, name).put(key, b"{}")
    await LogEraser(admin, SystemClock()).erase(Scope("gone", GONE, (), whole_agent=True), "asked")
    for name, keys in kept_of(STAYS).items():
        left = {key for key in await bucket(admin, name).list() if "gone" in key or "stays" in key}
        assert left == set(keys), name


def marked(value: Erasure | None) -> tuple[tuple[str, ...], str] | None:
    return None if value is None else (value.sessions, value.reason)


async def test_a_mark_grows_with_what_is_found_and_keeps_who_asked_and_why(admin: NatsConnection) -> None:
    erasing, entities = LogEraser(admin, SystemClock()), Entities(JetStreamLog(admin), SystemClock(), "/test")

    async def mark_of(name: str) -> tuple[tuple[str, ...], str] | None:
        found = await entities.current(EntityKey(GONE, EntityKind.ERASED, name))
        return marked(None if found is None else msgspec.convert(found.value, Erasure))

    one, two = (SessionKey(GONE, SessionId(name)) for name in ("s_1", "s_2"))
    await erasing.mark(Scope("s_1", GONE, (one,)), "asked")
    assert await mark_of("s_1") == (("s_1",), "asked")
    await erasing.mark(Scope("s_1", GONE, (one, two)))
    assert await mark_of("s_1") == (("s_1", "s_2"), "asked")
    assert await mark_of("s_2") == (("s_1", "s_2"), "")
    await erasing.mark(Scope("s_1", GONE, (one,)), "again, by somebody else")
    assert await mark_of("s_1") == (("s_1", "s_2"), "asked"), "what was found before stays"


@pytest.mark.parametrize(
    ("events", "is_open"),
    [
        ([], False),
        ([Created(GONE, 1_000)], True),
        ([Created(GONE, 1_000), Failed("bug", "it broke")], False),
        ([Created(GONE, 1_000), Completed("archived")], False),
        ([Created(GONE, 1_000), Completed("archived"), Reopened()], True),
        ([Created(GONE, 1_000), Completed("archived"), Reopened(), Completed("archived")], False),
    ],
    ids=["never begun", "open", "failed", "archived", "opened again", "archived again"],
)
async def test_a_session_that_may_go_on_is_archived_and_waited_for(
    admin: NatsConnection, events: list[SessionEvent], is_open: bool
) -> None:
    log, session = JetStreamLog(admin), SessionKey(GONE, SessionId("s_1"))

    async def append(event: SessionEvent) -> None:
        message, _ = event_message(event, subject_of(event, session), origin_of(event), SystemClock())
        await log.append(message)

    for event in events:
        await append(event)

    async def archived() -> StoredMessage | None:
        return await log.last(session.input(type_of(Archived)))

    stopping = asyncio.create_task(LogEraser(admin, SystemClock()).stop([session]))
    if is_open:
        await eventually(archived)
        assert not stopping.done()
        await append(Completed("archived"))
    await stopping
    assert (await archived() is not None) is is_open
