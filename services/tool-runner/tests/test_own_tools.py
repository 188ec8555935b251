"""A tool that an agent made is run like any other, as it was when it was asked for."""

from typing import Any

import pytest

from agent_contracts.entities.definitions import tool_spec
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import ErrorKind
from agent_contracts.ids import CallId
from agent_contracts.kinds.tool import TOOL
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.tool_spec import Effect
from agent_domain.definitions import defined
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_tools.running.call import CallKey, RequestedCall
from foldline_testing.agent_tools.world import AGENT, SESSION, delivery
from foldline_testing.tool_runner.world import World
from tool_runner.code.own_tools import StoredTools

SCHEMA = {
    "type": "object",
    "properties": {"c": {"type": "number"}, "p": {"type": "string", "pattern": "(a+)+$"}},
    "required": ["c"],
    "additionalProperties": False,
}
TO_F = {"name": "to_f", "description": "d", "parameter_schema": SCHEMA, "code": "return 1"}


@pytest.fixture
async def world() -> World:
    world = World()
    await world.run("create_tool", TO_F, call_id="made", effect=Effect.RECORDED)
    return world


async def test_its_code_gets_the_arguments_and_its_result_is_the_calls(world: World) -> None:
    event = await world.run("to_f", {"c": 1.5}, effect=Effect.EXTERNAL)
    assert event.result == {"code": "return 1", "args": {"c": 1.5}}


@pytest.mark.parametrize(
    ("arguments", "path"),
    [({"c": "1"}, "/c"), ({}, None), ({"c": 1, "x": 2}, None), ({"c": None, "p": 1}, "/c")],
)
async def test_arguments_are_checked_against_its_schema(
    world: World, arguments: dict[str, Any], path: str | None
) -> None:
    event = await world.run("to_f", arguments, effect=Effect.EXTERNAL)
    assert (event.error.kind, event.error.path) == (ErrorKind.INVALID_ARGUMENTS, path)


ADDRESS = {"type": "object", "properties": {"street": {"type": "string"}}, "required": ["street"]}
REFERS = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": ADDRESS, "any": {"anyOf": [{"$ref": "#/$defs/address"}, {"type": "null"}]}},
    "properties": {"home": {"$ref": "#/$defs/address"}, "work": {"$ref": "#/$defs/any"}},
    "additionalProperties": False,
}


async def test_a_schema_may_refer_to_its_definitions_which_models_are_sent_written_out(world: World) -> None:
    made = {**TO_F, "name": "moves", "parameter_schema": REFERS}
    await world.run("create_tool", made, call_id="refers", effect=Effect.RECORDED)
    kept = await world.entities.current(EntityKey(AGENT, EntityKind.TOOL, "moves"))
    assert kept is not None
    assert kept.value["parameter_schema"] == REFERS, "programs by MCP get it as it is"
    assert tool_spec(defined(kept, TOOL)).parameters == {
        "$schema": REFERS["$schema"],
        "type": "object",
        "properties": {"home": ADDRESS, "work": {"anyOf": [ADDRESS, {"type": "null"}]}},
        "additionalProperties": False,
    }
    done = await world.run("moves", {"home": {"street": "a"}, "work": None}, effect=Effect.EXTERNAL)
    assert done.result["args"] == {"home": {"street": "a"}, "work": None}
    wrong = await world.run("moves", {"home": {"street": 1}}, call_id="c2", effect=Effect.EXTERNAL)
    assert (wrong.error.kind, wrong.error.path) == (ErrorKind.INVALID_ARGUMENTS, "/home/street")


def eight(below: int) -> dict[str, Any]:
    """Refers to the same eight times."""
    names = {key: {"$ref": f"#/$defs/d{below}"} for key in "abcdefgh"}
    return {"type": "object", "properties": names}


@pytest.mark.parametrize(
    ("definitions", "why"),
    [
        ({"a": {"$ref": "#/$defs/a"}}, "refers to itself"),
        ({"a": {"$ref": "https://example.org/a"}}, "outside itself"),
        ({"a": {"$ref": "#/$defs/b"}}, "which isn't there"),
        ({"a": {"type": "object", "patternProperties": {}}}, "patternProperties isn't supported"),
        ({"a": eight(11), "d0": {}} | {f"d{n}": eight(n - 1) for n in range(1, 12)}, "too large"),
    ],
)
async def test_definitions_that_can_not_be_written_out_are_refused(
    world: World, definitions: dict[str, Any], why: str
) -> None:
    schema = {"type": "object", "properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": definitions}
    made = {**TO_F, "name": "refers", "parameter_schema": schema}
    refused = await world.run("create_tool", made, call_id="refers", effect=Effect.RECORDED)
    assert why in refused.error.message
    assert await world.entities.current(EntityKey(AGENT, EntityKind.TOOL, "refers")) is None


async def test_an_agents_pattern_cannot_hold_up_the_runner(world: World) -> None:
    event = await world.run("to_f", {"c": 1, "p": "a" * 50_000 + "!"}, effect=Effect.EXTERNAL)
    assert event.error.kind is ErrorKind.INVALID_ARGUMENTS
    assert len(event.error.message) < 2_000


async def test_a_call_runs_the_code_of_when_it_was_asked_for(world: World) -> None:
    asked = await world.request("to_f", {"c": 1}, call_id="before", effect=Effect.EXTERNAL)
    await world.run("update_tool", {"name": "to_f", "code": "return 2"}, call_id="u", effect=Effect.RECORDED)
    await world.runner().handle(delivery(asked))
    recorded = await world.result("before")
    assert recorded is not None
    assert recorded.event.result["code"] == "return 1"
    after = await world.run("to_f", {"c": 1}, call_id="after", effect=Effect.EXTERNAL)
    assert after.result["code"] == "return 2"


async def test_what_a_person_approved_runs_as_it_was_shown_to_them(world: World) -> None:
    key = EntityKey(AGENT, EntityKind.TOOL, "to_f")
    shown = await world.entities.current(key)
    assert shown is not None
    other = {**shown.value, "description": "other", "code": "return 2"}
    edited = await world.entities.write(key, other, EntityWriter.user("edited meanwhile"))
    assert edited.sequence is not None
    tools = StoredTools(world.entities)
    for code_at, description in ((shown.sequence, "d"), (edited.sequence, "other")):
        call = RequestedCall(
            CallKey(SessionKey(AGENT, SESSION), CallId("c1")),
            edited.sequence + 1,
            world.clock.now(),
            "to_f",
            {"c": 1},
            Effect.EXTERNAL,
            code_at=code_at,
        )
        found = await tools.find(call)
        assert found is not None
        assert found.spec.description == description


async def test_what_fails_is_disabled_or_gone_says_so(world: World) -> None:
    async def kind(call_id: str) -> ErrorKind:
        kind_: ErrorKind = (
            await world.run("to_f", {"c": 1}, call_id=call_id, effect=Effect.EXTERNAL)
        ).error.kind
        return kind_

    await world.run("update_tool", {"name": "to_f", "code": "fail"}, call_id="u1", effect=Effect.RECORDED)
    assert await kind("c1") is ErrorKind.REJECTED
    await world.run("disable_tool", {"name": "to_f"}, call_id="u2", effect=Effect.RECORDED)
    assert await kind("c2") is ErrorKind.DISABLED_TOOL
    await world.run("delete_tool", {"name": "to_f"}, call_id="u3", effect=Effect.RECORDED)
    assert await kind("c3") is ErrorKind.UNKNOWN_TOOL
