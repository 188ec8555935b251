"""The state family: values by name, shared by all sessions of an agent, each write once."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

import pytest

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityDeleted, EntityKind, EntityWritten
from agent_contracts.entities.state_keys import LARGEST_VALUE
from agent_contracts.errors import ErrorKind
from agent_contracts.event_sources import Actor
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import StoredMessage, decode
from agent_contracts.tool_spec import Effect
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
from foldline_testing.agent_tools.world import AGENT, SESSION, delivery
from foldline_testing.tool_runner.world import World


@pytest.fixture
def world() -> World:
    return World()


async def history(world: World, name: str) -> Sequence[RecordedEvent[Any]]:
    return await Entities(world.log, world.clock, event_sources.RUNNER).history(
        EntityKey(AGENT, EntityKind.STATE, name)
    )


async def test_what_one_session_wrote_another_reads_in_its_next_call(world: World) -> None:
    await world.run("set_state", {"key": "k", "value": {"n": [1, 2.5, None]}}, call_id="c1")
    event = await world.run("get_state", {"key": "k"}, call_id="c2", session_id=SessionId("s2"))
    assert event.result == {"value": {"n": [1, 2.5, None]}}


async def test_a_missing_key_is_null_and_so_is_one_set_to_null(world: World) -> None:
    assert (await world.run("get_state", {"key": "k"}, call_id="c1")).result == {"value": None}
    assert (await world.run("set_state", {"key": "k", "value": None}, call_id="c2")).result == {"ok": True}
    assert (await world.run("get_state", {"key": "k"}, call_id="c3")).result == {"value": None}
    assert (await world.run("list_state_keys", call_id="c4")).result == {"keys": ["k"]}


async def test_deleting_says_whether_there_was_anything(world: World) -> None:
    await world.run("set_state", {"key": "k", "value": 1}, call_id="c1")
    assert (await world.run("delete_state", {"key": "k"}, call_id="c2")).result == {"deleted": True}
    assert (await world.run("delete_state", {"key": "k"}, call_id="c3")).result == {"deleted": False}
    assert (await world.run("get_state", {"key": "k"}, call_id="c4")).result == {"value": None}
    assert (await world.run("list_state_keys", call_id="c5")).result == {"keys": []}


async def test_a_deleted_key_starts_again_at_version_1(world: World) -> None:
    for number, tool in enumerate(["set_state", "set_state", "delete_state", "set_state"]):
        arguments = {"key": "k"} if tool == "delete_state" else {"key": "k", "value": number}
        await world.run(tool, arguments, call_id=f"c{number}")
    assert [getattr(one.event, "version", None) for one in await history(world, "k")] == [1, 2, None, 1]


async def test_keys_are_listed_sorted_and_by_prefix(world: World) -> None:
    keys = ["b", "a.b > *", "ä 1", "ä 2", "~YQ", "x" * 256]
    for number, key in enumerate(keys):
        await world.run("set_state", {"key": key, "value": number}, call_id=f"c{number}")
    assert (await world.run("list_state_keys", call_id="d1")).result == {"keys": sorted(keys)}
    assert (await world.run("list_state_keys", {"prefix": "ä"}, call_id="d2")).result == {
        "keys": ["ä 1", "ä 2"]
    }
    for number, key in enumerate(keys):
        event = await world.run("get_state", {"key": key}, call_id=f"e{number}")
        assert event.result == {"value": number}


@pytest.mark.parametrize("key", ["", "x" * 257, "a\x00", "a\nb", "\x7f", "\x85"])
@pytest.mark.parametrize("tool", ["get_state", "set_state", "delete_state"])
async def test_a_key_that_is_none_is_refused(world: World, tool: str, key: str) -> None:
    arguments = {"key": key, "value": 1} if tool == "set_state" else {"key": key}
    event = await world.run(tool, arguments)
    assert event.error.kind is ErrorKind.INVALID_ARGUMENTS
    assert event.error.path == "/key"


async def test_a_key_may_be_256_characters_of_any_script(world: World) -> None:
    event = await world.run("set_state", {"key": "🙂" * 256, "value": 1})
    assert event.result == {"ok": True}


async def test_a_value_may_be_one_mebibyte_of_json_and_no_more(world: World) -> None:
    fits = "x" * (LARGEST_VALUE - 2)
    assert (await world.run("set_state", {"key": "k", "value": fits}, call_id="c1")).result == {"ok": True}
    event = await world.run("set_state", {"key": "k", "value": fits + "x"}, call_id="c2")
    assert event.error.kind is ErrorKind.TOO_LARGE
    assert len(await history(world, "k")) == 1


async def test_a_value_is_required_but_may_be_anything(world: World) -> None:
    event = await world.run("set_state", {"key": "k"}, call_id="c1")
    assert event.error.path == "/value"
    for number, value in enumerate([True, 0, -1.5, "", [], {}, 10**20]):
        await world.run("set_state", {"key": "k", "value": value}, call_id=f"d{number}")
        event = await world.run("get_state", {"key": "k"}, call_id=f"e{number}")
        assert event.result == {"value": value}
        assert type(event.result["value"]) is type(value)


async def test_text_that_nobody_can_store_is_replaced(world: World) -> None:
    await world.run("set_state", {"key": "k", "value": {"a\x00": ["b\x00"]}}, call_id="c1")
    event = await world.run("get_state", {"key": "k"}, call_id="c2")
    assert event.result == {"value": {"a\ufffd": ["b\ufffd"]}}


async def test_each_write_says_who_made_it_and_what_it_replaced(world: World) -> None:
    await world.run("set_state", {"key": "k", "value": 1}, call_id="c1")
    await world.run("set_state", {"key": "k", "value": 2}, call_id="c2")
    await world.run("delete_state", {"key": "k"}, call_id="c3")
    first, second, deletion = await history(world, "k")
    written = EntityWritten(EntityKind.STATE, "k", 1, 1, SESSION, CallId("c1"), None)
    assert first.event == written
    assert first.envelope.id == "s1:c1:1"
    assert first.envelope.actor is Actor.AGENT
    assert second.event == EntityWritten(EntityKind.STATE, "k", 2, 2, SESSION, CallId("c2"), first.sequence)
    assert deletion.event == EntityDeleted(EntityKind.STATE, "k", SESSION, CallId("c3"), second.sequence)


async def test_a_write_whose_runner_died_before_it_recorded_a_result_happens_once(world: World) -> None:
    message = await world.request("set_state", {"key": "k", "value": "mine"}, effect=Effect.RECORDED)
    await die_before_the_result(world, message)
    await world.run("set_state", {"key": "k", "value": "newer"}, call_id="c2", session_id=SessionId("s2"))
    await world.runner("r2").handle(delivery(message, 2))
    ended = await world.result()
    assert ended is not None
    assert ended.event.result == {"ok": True}
    assert [event.event.value for event in await history(world, "k")] == ["mine", "newer"]


async def test_a_deletion_that_is_run_again_still_says_that_it_deleted(world: World) -> None:
    await world.run("set_state", {"key": "k", "value": 1}, call_id="c0")
    message = await world.request("delete_state", {"key": "k"}, effect=Effect.RECORDED)
    await die_before_the_result(world, message)
    await world.runner("r2").handle(delivery(message, 2))
    ended = await world.result()
    assert ended is not None
    assert ended.event.result == {"deleted": True}
    assert len(await history(world, "k")) == 2


async def test_many_sessions_write_one_key_and_every_write_counts(world: World) -> None:
    sessions = [SessionId(f"s{n}") for n in range(30)]
    events = await asyncio.gather(
        *(world.run("set_state", {"key": "k", "value": s}, call_id="c", session_id=s) for s in sessions[:5])
    )
    assert all(event.result == {"ok": True} for event in events)
    assert [event.event.version for event in await history(world, "k")] == [1, 2, 3, 4, 5]


async def die_before_the_result(world: World, message: StoredMessage) -> None:
    """A runner handles the request up to the tool's last write, and is gone."""
    before = await world.log.last_sequence()
    dying = asyncio.create_task(world.runner("dead").handle(delivery(message)))
    async with aclosing(world.log.tail(["agt.>"], after=before)) as written:
        await anext(written)
    dying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await dying
    written_last = await world.log.get(before + 1)
    assert written_last is not None
    assert decode(written_last).subject.startswith("agt.")
    assert await world.result() is None
