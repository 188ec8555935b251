"""The whole service asked about a session that is longer than an answer may be."""

import asyncio

import msgspec

from agent_contracts import service_names
from agent_contracts.errors import Transient
from agent_contracts.log.subjects import query_subject
from agent_contracts.questions.queries import SESSION_STATE, QueryAnswer, SessionStateQuery
from agent_contracts.session_events.inputs import UserMessage
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import connect
from agent_platform.services.discovery import installed
from agent_platform.services.streams import prepare
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.session_engine.world import CREATED, SESSION, World
from session_engine.app import serve
from session_engine.settings import EngineSettings

LONG = "word " * 200_000


async def test_a_session_too_long_to_be_told_whole_says_so_and_can_be_told_in_short(
    nats_server: NatsForTest,
) -> None:
    connection = await connect(nats_server.url, name="test")
    await prepare(connection, [installed(service_names.ENGINE)])
    world = World(JetStreamLog(connection))
    await world.happens(CREATED)
    for _ in range(9):
        await world.happens(UserMessage(text=LONG))
    engine = asyncio.create_task(serve(EngineSettings(nats_url=nats_server.url)))

    async def asked(**how: int) -> QueryAnswer:
        question = msgspec.json.encode(SessionStateQuery(SESSION, **how))

        async def answered() -> QueryAnswer | None:
            try:
                reply = await connection.request(query_subject(SESSION_STATE), question, timeout=20)
            except Transient as failure:
                if failure.kind != "no_responders":  # it is just being started
                    raise
                return None
            return msgspec.json.decode(reply.data, type=QueryAnswer)

        return await eventually(answered, within=60)

    try:
        whole = await asked()
        assert whole.error_kind == "too_large"
        assert "Ask for less" in (whole.error or "")
        beginnings = (await asked(beginnings=4)).value
        assert isinstance(beginnings, dict)
        told = [*beginnings["messages"], *beginnings["queue"]]
        assert [one["text"] for one in told] == ["word"] * 9
    finally:
        engine.cancel()
        await asyncio.wait([engine])
        await connection.close()
