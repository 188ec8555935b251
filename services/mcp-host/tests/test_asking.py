"""A server asks a person in the middle of a call, which pauses, and goes on with the answer: on any host."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp.server.request_state import RequestStateSecurity

from agent_contracts.errors import ErrorKind
from agent_contracts.session_events.results import ToolCallPending
from agent_contracts.sessions.rendering import ANSWER_SCHEMA, goes_on
from foldline_testing.agent_tools.world import SESSION, delivery, until
from foldline_testing.mcp_host.addressed import Addressed, addressed
from foldline_testing.mcp_host.servers.asker import ADDRESS, asker
from foldline_testing.mcp_host.world import McpWorld, mcp_world
from mcp_host import limits

pytestmark = pytest.mark.long

BOTH = pytest.mark.parametrize("old", [False, True], ids=["2026-07-28", "2025-11-25"])
OSLO = {"action": "submit", "data": {"city": "Oslo", "nights": 2}}
ONE = {"action": "submit", "data": {"n": "1"}}


async def ready(world: McpWorld, here: Addressed, **more: Any) -> None:
    await world.add("asker", here.url, **more)
    await world.accept("asker")


async def paused(world: McpWorld, tool: str, **arguments: Any) -> ToolCallPending:
    asked = await world.call(f"asker__{tool}", **arguments)
    assert isinstance(asked, ToolCallPending), asked
    assert goes_on(asked.show)
    return asked


@BOTH
async def test_a_form_is_asked_for_and_the_call_goes_on_with_it(world: McpWorld, old: bool) -> None:
    server, done = asker()
    with addressed(server, old=old) as here:
        await ready(world, here)
        asked = await paused(world, "book", purpose="work")
        (step,) = asked.show["steps"]
        assert step["description"] == "Where to?\\u200b And how long?", "what can't be seen is spelled out"
        assert [(one["name"], one["type"], one["required"]) for one in step["fields"]] == [
            ("city", "text", True),
            ("nights", "integer", True),
            ("pets", "checkbox", False),
        ]
        assert asked.show[ANSWER_SCHEMA]["properties"]["nights"]["maximum"] == 30
        assert done == []
        over = await world.resumed(asked, OSLO)
        assert over.result == {"structured": {"result": "work: Oslo 2 False"}}, over
        assert done == ["work: Oslo 2 False"]
        assert [(one.kind, one.name) for one in over.outside] == [("mcp", "asker")]


@BOTH
@pytest.mark.parametrize(("action", "said"), [("decline", "decline"), ("dismiss", "cancel")])
async def test_a_person_may_say_no_or_close_it(world: McpWorld, old: bool, action: str, said: str) -> None:
    server, done = asker()
    with addressed(server, old=old) as here:
        await ready(world, here)
        over = await world.resumed(await paused(world, "visit"), {"action": action})
        assert over.result == {"structured": {"result": said}}, over
        refused = await world.resumed(await paused(world, "book", purpose="x"), {"action": action})
        assert refused.error.kind == ErrorKind.UPSTREAM, refused
    assert done == []


@BOTH
async def test_an_address_is_shown_whole_and_agreed_to(world: McpWorld, old: bool) -> None:
    server, _ = asker()
    with addressed(server, old=old) as here:
        await ready(world, here)
        asked = await paused(world, "visit")
        (step,) = asked.show["steps"]
        assert (step["url"], step["host"], step["fields"]) == (ADDRESS, "pay.example.org", [])
        over = await world.resumed(asked, {"action": "submit", "data": {}})
        assert over.result == {"structured": {"result": "accept"}}, over


@BOTH
@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "https://bank.example@evil.example/", "https://exаmple.org/", "file:///etc", "x"],
)
async def test_an_address_that_could_deceive_is_not_shown(world: McpWorld, old: bool, url: str) -> None:
    server, _ = asker()
    with addressed(server, old=old) as here:
        await ready(world, here)
        over = await world.call("asker__visit", url=url)
        assert over.error.kind == ErrorKind.UPSTREAM, over
        assert "can't be shown" in over.error.message or "is none" in over.error.message


@BOTH
async def test_several_asks_of_one_round_are_all_answered_and_each_gets_its_own(
    world: McpWorld, old: bool
) -> None:
    server, done = asker()
    with addressed(server, old=old) as here:
        await ready(world, here)
        event: Any = await paused(world, "ask_together")
        rounds = 1
        while isinstance(event, ToolCallPending):
            data = {
                field["name"]: step["description"].removeprefix("Your ")
                for step in event.show["steps"]
                for field in step["fields"]
            }
            event = await world.resumed(event, {"action": "submit", "data": data})
            rounds += isinstance(event, ToolCallPending)
    assert done == ["accept name?, accept dog's?, accept None"], event
    assert rounds == (3 if old else 1), "in one form, or one after another in the same call"


@BOTH
async def test_where_nobody_answers_the_server_is_told_and_so_is_the_model(
    world: McpWorld, old: bool
) -> None:
    server, done = asker()
    with addressed(server, old=old) as here:
        await ready(world, here)
        over = await world.resumed(await paused(world, "visit"))
        assert over.result["structured"] == {"result": "cancel"}, "the server knows"
        assert "nobody answered in time" in over.result["notes"][0], "and the model"
        failed = await world.resumed(await paused(world, "book", purpose="x"))
        assert "nobody answered in time" in failed.error.message, failed
    assert done == []


async def test_a_server_that_asks_again_what_nobody_answered_is_given_up(world: McpWorld) -> None:
    server, done = asker()
    with addressed(server) as here:
        await ready(world, here)
        asked = await paused(world, "ask", times=2)
        over = await world.resumed(asked)
    assert over.error.kind == ErrorKind.EXPIRED, over
    assert "asks again" in over.error.message
    assert done == []


@BOTH
async def test_ten_times_a_call_may_ask_and_not_eleven(world: McpWorld, old: bool) -> None:
    server, done = asker()
    with addressed(server, old=old) as here:
        await ready(world, here)
        for times, over_by in ((limits.ROUNDS, "result"), (limits.ROUNDS + 1, "error")):
            event: Any = await paused(world, "ask", times=times)
            for round_ in range(1, limits.ROUNDS + 1):
                assert event.resume.round == event.show["round"] == round_
                event = await world.resumed(event, ONE)
            assert hasattr(event, over_by), event
        assert "asks again" in event.error.message
    assert done == ["asked 10"]


async def test_any_host_goes_on_with_what_a_server_of_the_newer_protocol_asked(
    world: McpWorld, tmp_path: Path
) -> None:
    server, done = asker()
    with addressed(server) as here:
        await ready(world, here)
        asked = await paused(world, "book", purpose="work")
        async with mcp_world(data=tmp_path / "other", log=world.log, blobs=world.blobs) as other:
            over = await other.resumed(asked, OSLO)
    assert over.result == {"structured": {"result": "work: Oslo 2 False"}}, over
    assert done == ["work: Oslo 2 False"], "it was done once"


async def test_a_call_that_was_held_open_by_a_host_that_is_gone_has_an_unknown_outcome(
    world: McpWorld, tmp_path: Path
) -> None:
    server, done = asker()
    with addressed(server, old=True) as here:
        await ready(world, here)
        asked = await paused(world, "book", purpose="work")
        assert asked.expires_at is not None, "it isn't kept open for ever"
        async with mcp_world(data=tmp_path / "other", log=world.log, blobs=world.blobs) as other:
            over = await other.resumed(asked, OSLO)
        assert over.error.kind == ErrorKind.OUTCOME_UNKNOWN, over
        assert here.methods.count("tools/call") == 1, "it was not sent again"
    assert done == []


@BOTH
async def test_others_are_served_while_one_waits_for_a_person(world: McpWorld, old: bool) -> None:
    server, _ = asker()
    with addressed(server, old=old) as here:
        await ready(world, here, timeout_s=2.0)
        first = await paused(world, "book", purpose="a")
        second = await paused(world, "book", purpose="b")
        assert (await world.call("asker__plain")).result is not None
        await asyncio.sleep(2.5)  # sleeps: work; a person takes longer than a call may
        over = await world.resumed(second, OSLO)
        assert over.result == {"structured": {"result": "b: Oslo 2 False"}}, over
        over = await world.resumed(first, OSLO)
        assert over.result == {"structured": {"result": "a: Oslo 2 False"}}, over


async def test_a_program_that_waits_for_a_person_takes_other_calls(world: McpWorld) -> None:
    await world.program("asker", "asker")
    await world.accept("asker")
    asked = await paused(world, "book", purpose="work")
    assert (await world.call("asker__plain")).result is not None
    over = await world.resumed(asked, OSLO)
    assert hasattr(over, "result"), over


@BOTH
async def test_what_it_may_not_have_is_refused(world: McpWorld, old: bool) -> None:
    server, _ = asker()
    with addressed(server, old=old) as here:
        await ready(world, here)
        over = await world.call("asker__sample")
        assert over.error.kind == ErrorKind.UPSTREAM, over


async def test_a_server_that_wants_time_alone_is_asked_again(world: McpWorld) -> None:
    server, _ = asker()
    with addressed(server) as here:
        await ready(world, here)
        assert (await world.call("asker__later")).result == {"structured": {"result": "waited 2"}}


async def test_what_was_held_open_ends_when_nobody_wants_it_any_more(world: McpWorld) -> None:
    server, done = asker()
    with addressed(server, old=True) as here:
        await ready(world, here)
        asked = await paused(world, "book", purpose="work")
        world.held.stop(SESSION, asked.call_id)
        over = await world.resumed(asked, OSLO)
        assert over.error.kind == ErrorKind.OUTCOME_UNKNOWN
        await until(lambda: "notifications/cancelled" in here.methods, 5)
    assert done == []


@BOTH
async def test_a_server_that_changed_since_it_asked_gets_no_answer(world: McpWorld, old: bool) -> None:
    server, done = asker()
    with addressed(server, old=old) as here:
        await ready(world, here)
        asked = await paused(world, "ask")
        server.remove_tool("ask")
        server.add_tool(lambda: "stolen", name="ask", description="Steal it.")
        await world.test("asker")
        await world.accept("asker")
        over = await world.resumed(asked, ONE)
        assert over.error.kind == ErrorKind.NOT_AVAILABLE, over
        assert "nothing was sent" in over.error.message
    assert done == []


class Leaky:
    """Says its secret in what it wants kept."""

    def seal(self, payload: bytes) -> str:
        return "hunter2hunter2"

    def unseal(self, token: str) -> bytes:
        raise AssertionError("it was not kept")


async def test_a_secret_in_what_a_server_wants_kept_is_not_kept(world: McpWorld) -> None:
    server, _ = asker(RequestStateSecurity(codec=Leaky()))
    await world.secret("KEY", "hunter2hunter2", "127.0.0.1")
    with addressed(server) as here:
        await ready(world, here, headers={"X-Key": "{{secret:KEY}}"})
        over = await world.call("asker__ask")
        assert over.error.kind == ErrorKind.UPSTREAM, over
        assert "secret" in over.error.message


async def test_the_request_that_goes_on_is_claimed_anew_and_runs_once(world: McpWorld) -> None:
    server, done = asker()
    with addressed(server) as here:
        await ready(world, here)
        asked = await paused(world, "book", purpose="work")
        message = await world.resuming(asked, OSLO)
        await asyncio.gather(*(world.runner().handle(delivery(message, again=n > 0)) for n in range(3)))
    assert done == ["work: Oslo 2 False"]
