"""`search_history`: asked of the projectors, for this agent, without the session that asks."""

import asyncio

import msgspec
import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.ids import SessionId
from agent_contracts.log.subjects import query_subject
from agent_contracts.outside import Source
from agent_contracts.questions.history_search import (
    SEARCH_HISTORY,
    HistoryAnswer,
    HistoryHit,
    SearchHistory,
)
from agent_platform.nats.connection import connect
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.agent_tools.world import AGENT, SESSION
from foldline_testing.tool_runner.world import FoundNowhere, World
from tool_runner.agent.history import NatsHistory

PAGE = Source("web", "evil.example", "5", SessionId("s0"))
FOUND = HistoryHit(SessionId("s0"), None, "user", "7.1", "2026-01-01T00:00:00Z", "the word", (PAGE,))


class Found(FoundNowhere):
    async def search(self, asked: SearchHistory) -> tuple[HistoryHit, ...]:
        await super().search(asked)
        return (FOUND,)


async def test_it_gives_the_places_and_asks_for_its_own_agent_without_its_own_session() -> None:
    history = Found()
    event = await World(history=history).run("search_history", {"query": "word", "limit": 3})
    shown = {name: value for name, value in msgspec.to_builtins(FOUND).items() if name != "outside"}
    assert event.result == {"results": [shown]}
    assert event.outside == FOUND.outside
    assert history.asked == [SearchHistory(AGENT, "word", 3, SESSION)]


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": "a" * 401}, {"query": "a", "limit": 51}])
async def test_what_it_is_asked_is_checked(arguments: dict[str, object]) -> None:
    event = await World().run("search_history", arguments)
    assert event.error.kind is ErrorKind.INVALID_ARGUMENTS


async def test_nobody_to_ask_or_no_database_is_upstream_and_says_so(nats_server: NatsForTest) -> None:
    connection = await connect(nats_server.url, name="test")
    world = World(history=NatsHistory(connection))
    event = await world.run("search_history", {"query": "a"})
    assert (event.error.kind, "no projector answers" in event.error.message) == (ErrorKind.UPSTREAM, True)

    answer = msgspec.json.encode(HistoryAnswer(error="Postgres doesn't answer"))

    async def away(message: object) -> None:
        await connection.publish(message.reply, answer)  # type: ignore[attr-defined]

    await connection.subscribe(query_subject(SEARCH_HISTORY), away)
    async with asyncio.timeout(30):
        event = await world.run("search_history", {"query": "a"}, call_id="c2")
    assert (event.error.kind, event.error.message) == (ErrorKind.UPSTREAM, "Postgres doesn't answer")
    await connection.close()
