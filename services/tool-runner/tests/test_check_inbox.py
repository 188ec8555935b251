"""`check_inbox`: what other services left is taken once, by whoever looks first."""

import asyncio
from typing import Any

import msgspec
import pytest

from agent_contracts.entities.entity import EntityDeleted, EntityKind
from agent_contracts.errors import ErrorKind
from agent_contracts.event_sources import Actor
from agent_contracts.ids import SessionId
from agent_contracts.tool_spec import Effect
from agent_contracts.wakes import InboxItem, Priority
from agent_platform.entities.entity import EntityKey, EntityWriter
from foldline_testing.agent_tools.world import AGENT, SESSION, delivery
from foldline_testing.tool_runner.world import World

_UNTIL = "2199-01-01T00:00:00.000Z"


@pytest.fixture
def world() -> World:
    return World()


def key(name: str) -> EntityKey:
    return EntityKey(AGENT, EntityKind.INBOX, name)


async def leave(world: World, name: str, minute: int, priority: Priority = "later", **more: Any) -> None:
    """Another service leaves a wake, as the scheduler keeps it."""
    at = f"2026-01-31T12:{minute:02d}:00.000Z"
    item = InboxItem("shop", name, f"Order {name}", at, _UNTIL, priority=priority, **more)
    await world.entities.write(
        key(name), msgspec.to_builtins(item), EntityWriter(f"left:{name}", Actor.SERVICE)
    )


async def take(world: World, call_id: str = "c1", **arguments: Any) -> tuple[list[str], int]:
    """The messages that a call takes, and how many it says are left."""
    event = await world.run("check_inbox", arguments, call_id=call_id, effect=Effect.RECORDED)
    return [one["message"] for one in event.result["items"]], event.result["left"]


async def waiting(world: World) -> list[str]:
    return [one.key.name for one in await world.entities.list(AGENT, EntityKind.INBOX)]


async def test_the_oldest_are_taken_and_the_rest_is_counted(world: World) -> None:
    for name, minute in (("b", 2), ("a", 3), ("c", 1)):
        await leave(world, name, minute)
    assert await take(world, limit=2) == (["Order c", "Order b"], 1)
    assert await waiting(world) == ["a"]
    assert await take(world, "c2") == (["Order a"], 0)
    assert await take(world, "c3") == ([], 0)


async def test_what_is_taken_says_who_left_it_and_when_and_its_versions_say_who_took_it(world: World) -> None:
    await leave(world, "a", 1, data={"number": 7})
    event = await world.run("check_inbox", {}, effect=Effect.RECORDED)
    taken = {"source": "shop", "at": "2026-01-31T12:01:00.000Z", "priority": "later", "message": "Order a"}
    assert event.result == {"items": [{**taken, "data": {"number": 7}}], "left": 0}
    assert [one.key for one in event.outside] == [("wake", "shop")], "material from outside"
    _, last = await world.entities.history(key("a"))
    assert isinstance(last.event, EntityDeleted)
    assert (last.event.session_id, last.event.call_id) == (SESSION, "c1")
    assert last.envelope.actor is Actor.AGENT


async def test_only_what_is_urgent_enough_is_taken_and_the_rest_is_told_of(world: World) -> None:
    await leave(world, "now", 3, "now")
    await leave(world, "next", 2, "next")
    await leave(world, "later", 1)
    assert await take(world, "c1", priority_floor="now") == (["Order now"], 2)
    assert await take(world, "c2", priority_floor="next") == (["Order next"], 1)
    assert await take(world, "c3", priority_floor="next") == ([], 1)
    assert await take(world, "c4", priority_floor="later") == (["Order later"], 0)


@pytest.mark.parametrize("arguments", [{"limit": 0}, {"limit": 51}, {"priority_floor": "at once"}])
async def test_what_makes_no_sense_is_refused_and_takes_nothing(
    world: World, arguments: dict[str, Any]
) -> None:
    await leave(world, "a", 1)
    error = (await world.run("check_inbox", arguments, effect=Effect.RECORDED)).error
    assert (error.kind, error.path) == (ErrorKind.INVALID_ARGUMENTS, f"/{next(iter(arguments))}")
    assert await waiting(world) == ["a"]


async def test_what_comes_after_the_call_was_asked_for_waits_for_the_next(world: World) -> None:
    await leave(world, "before", 1)
    message = await world.request("check_inbox", effect=Effect.RECORDED)
    await leave(world, "after", 0)
    await world.runner().handle(delivery(message))
    assert [one["message"] for one in (await world.ended()).result["items"]] == ["Order before"]
    assert await waiting(world) == ["after"]


async def test_two_sessions_that_look_at_once_share_what_there_is(world: World) -> None:
    names = [f"{number:02d}" for number in range(20)]
    for minute, name in enumerate(names):
        await leave(world, name, minute)
    sessions = [SessionId(f"s{number}") for number in range(4)]
    arguments = {"limit": 50}
    asked = [
        await world.request("check_inbox", dict(arguments), effect=Effect.RECORDED, session_id=one)
        for one in sessions
    ]
    await asyncio.gather(*(world.runner(f"r{n}").handle(delivery(one)) for n, one in enumerate(asked)))
    results = [(await world.ended(session_id=one)).result for one in sessions]
    taken = [item["message"] for result in results for item in result["items"]]
    assert sorted(taken) == [f"Order {name}" for name in names], "each once"
    assert await waiting(world) == []


async def test_what_a_person_dismissed_meanwhile_is_not_taken(world: World) -> None:
    await leave(world, "a", 1)
    await leave(world, "b", 2)
    message = await world.request("check_inbox", effect=Effect.RECORDED)
    await world.entities.delete(key("a"), EntityWriter.user("dismissed"))
    await world.runner().handle(delivery(message))
    assert [one["message"] for one in (await world.ended()).result["items"]] == ["Order b"]


async def test_a_call_that_is_delivered_again_takes_the_same_and_nothing_besides(world: World) -> None:
    for minute, name in enumerate("abc"):
        await leave(world, name, minute)
    message = await world.request("check_inbox", {"limit": 2}, effect=Effect.RECORDED)
    # The first attempt has taken one of the two, then its process died.
    await world.entities.delete(
        key("a"), EntityWriter(f"{SESSION}:c1:1", Actor.AGENT, since=message.sequence)
    )
    await leave(world, "d", 0)
    await world.runner("r2").handle(delivery(message, attempt=2))
    result = (await world.ended()).result
    assert ([one["message"] for one in result["items"]], result["left"]) == (["Order a", "Order b"], 1)
    assert await waiting(world) == ["c", "d"]
    assert len(await world.entities.history(key("a"))) == 2
