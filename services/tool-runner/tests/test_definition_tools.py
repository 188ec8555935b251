"""Tools, functions, libraries, components and skills that an agent makes: the rules they share, and their
own."""

import asyncio
from typing import Any

import pytest

from agent_contracts import event_sources
from agent_contracts.entities.definitions import ToolDefinition
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import ErrorKind
from agent_contracts.ids import SessionId
from agent_contracts.kinds.tool import TOOL
from agent_contracts.log.record.records import decode
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallFailed
from agent_contracts.tool_spec import Effect
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
from agent_tools.running.call import call_from
from agent_tools.running.contexts import context_of
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.tool_runner.world import World
from tool_runner.agent.definitions import StoredDefinitions

SCHEMA = {"type": "object", "properties": {"c": {"type": "number"}}, "required": ["c"]}
CODE = {"name": "to_f", "description": "C to F", "parameter_schema": SCHEMA, "code": "return f(args.c)"}

FAMILIES: list[tuple[str, str, EntityKind, dict[str, Any], dict[str, Any]]] = [
    ("tool", "tools", EntityKind.TOOL, CODE, {"code": "return 1", "description": "Other"}),
    ("function", "functions", EntityKind.FUNCTION, CODE, {"parameter_schema": {"type": "object"}}),
    (
        "library",
        "libraries",
        EntityKind.LIBRARY,
        {"name": "dates", "description": "Dates", "code": "exports.a = 1"},
        {"code": "exports.a = 2"},
    ),
    (
        "ui_component",
        "ui_components",
        EntityKind.COMPONENT,
        {
            "name": "To Do",
            "description": "List",
            "code": "export default 1",
            "props_schema": {"type": "object"},
        },
        {"description": "Lists"},
    ),
    (
        "skill",
        "skills",
        EntityKind.SKILL,
        {"name": "de-briefing", "description": "How", "content": "first\r\nsecond é", "tags": ["a"]},
        {"tags": ["b", "c"]},
    ),
]
Made = dict[str, Any]

each_family = pytest.mark.parametrize(
    ("noun", "plural", "kind", "made", "change"), FAMILIES, ids=lambda v: v if isinstance(v, str) else ""
)


class Calls:
    """Calls tools one after another, each as a call of its own."""

    def __init__(self) -> None:
        self.world = World()
        self._number = 0

    async def __call__(self, tool: str, arguments: dict[str, Any], session: str = "s1") -> dict[str, Any]:
        """The result; an error's kind, path and message under those names."""
        self._number += 1
        event = await self.world.run(
            tool, arguments, call_id=f"c{self._number}", effect=Effect.RECORDED, session_id=SessionId(session)
        )
        if isinstance(event, ToolCallFailed):
            return {"kind": event.error.kind, "path": event.error.path, "message": event.error.message}
        assert isinstance(event, ToolCallCompleted)
        return dict(event.result)


@pytest.fixture
def call() -> Calls:
    return Calls()


@each_family
async def test_a_definition_is_made_read_changed_listed_and_deleted(
    noun: str, plural: str, kind: EntityKind, made: Made, change: Made, call: Calls
) -> None:
    name = made["name"]
    assert await call(f"create_{noun}", made) == {"name": name, "version": 1}
    read = await call(f"read_{noun}", {"name": name}, session="s2")
    assert read.items() >= {**made, "version": 1}.items()
    assert (await call(f"create_{noun}", made))["kind"] == ErrorKind.CONFLICT
    assert await call(f"update_{noun}", {"name": name, **change}) == {"name": name, "version": 2}
    assert await call(f"update_{noun}", {"name": name, **change}) == {"name": name, "version": 2}
    assert (await call(f"read_{noun}", {"name": name})).items() >= {**made, **change, "version": 2}.items()
    (listed,) = next(iter((await call(f"list_{plural}", {})).values()))
    assert listed.items() >= {"name": name, "version": 2}.items()
    assert not {"code", "content"} & listed.keys()
    assert await call(f"delete_{noun}", {"name": name}) == {"deleted": True}
    assert await call(f"delete_{noun}", {"name": name}) == {"deleted": False}
    assert next(iter((await call(f"list_{plural}", {})).values())) == []
    assert await call(f"create_{noun}", made) == {"name": name, "version": 1}
    history = await Entities(call.world.log, call.world.clock, event_sources.RUNNER).history(
        EntityKey(AGENT, kind, name)
    )
    assert [getattr(one.event, "version", None) for one in history] == [1, 2, None, 1]


@each_family
async def test_what_is_not_there_is_not_found(
    noun: str, plural: str, kind: EntityKind, made: Made, change: Made, call: Calls
) -> None:
    for verb in ("read", "update", "enable", "disable"):
        if verb in ("enable", "disable") and noun in ("library", "ui_component"):
            continue
        extra = change if verb == "update" else {}
        refused = await call(f"{verb}_{noun}", {"name": "nothing", **extra})
        assert (refused["kind"], refused["path"]) == (ErrorKind.NOT_FOUND, "/name")


@each_family
async def test_deleting_what_never_was_says_so(
    noun: str, plural: str, kind: EntityKind, made: Made, change: Made, call: Calls
) -> None:
    assert await call(f"delete_{noun}", {"name": "nothing"}) == {"deleted": False}
    assert await call.world.log.last("agt.>") is None


@each_family
async def test_what_read_gives_and_list_gives_is_this_and_no_more(
    noun: str, plural: str, kind: EntityKind, made: Made, change: Made, call: Calls
) -> None:
    await call(f"create_{noun}", made)
    switch = {"enabled": True} if noun in ("tool", "function", "skill") else {}
    assert await call(f"read_{noun}", {"name": made["name"]}) == {**made, **switch, "version": 1}
    tags = {"tags": made["tags"]} if noun == "skill" else {}
    listed = {"name": made["name"], "description": made["description"], "version": 1, **switch, **tags}
    assert await call(f"list_{plural}", {}) == {plural.removeprefix("ui_"): [listed]}


async def test_a_change_from_one_to_true_is_a_change(call: Calls) -> None:
    schemas = [{"type": "object", "default": {"a": value}} for value in (1, True, 1.0, "1", 1)]
    await call("create_tool", {**CODE, "parameter_schema": schemas[0]})
    for version, schema in enumerate(schemas[1:], 2):
        changed = await call("update_tool", {"name": "to_f", "parameter_schema": schema})
        assert changed["version"] == version
        same = await call("update_tool", {"name": "to_f", "parameter_schema": schema})
        assert same["version"] == version


@each_family
async def test_an_update_changes_only_what_is_given(
    noun: str, plural: str, kind: EntityKind, made: Made, change: Made, call: Calls
) -> None:
    await call(f"create_{noun}", made)
    await call(f"update_{noun}", {"name": made["name"], "description": "Changed"})
    read = await call(f"read_{noun}", {"name": made["name"]})
    assert read.items() >= {**made, "description": "Changed", "version": 2}.items()
    assert await call(f"update_{noun}", {"name": made["name"]}) == {"name": made["name"], "version": 2}


@pytest.mark.parametrize(
    ("tool", "names"),
    [
        ("create_tool", ["a", "a1_", "a" * 64, "x__", "z9"]),
        ("create_function", ["a", "a" * 64]),
        ("create_library", ["a", "a_b", "a" * 64]),
        ("create_skill", ["a", "-", "0", "a-b-9", "a" * 64]),
        ("create_ui_component", ["A", "a b", "Page-1_x", "a" * 64]),
    ],
)
async def test_names_at_the_edge_are_accepted(tool: str, names: list[str], call: Calls) -> None:
    family = tool.removeprefix("create_")
    made = next(one[3] for one in FAMILIES if one[0] == family)
    for name in names:
        assert await call(tool, {**made, "name": name}) == {"name": name, "version": 1}


@pytest.mark.parametrize("name", ["", "x" * 201])
@each_family
async def test_what_is_no_name_at_all_is_invalid(
    noun: str, plural: str, kind: EntityKind, made: Made, change: Made, name: str, call: Calls
) -> None:
    for verb in ("read", "update", "delete"):
        refused = await call(f"{verb}_{noun}", {"name": name})
        assert (refused["kind"], refused["path"]) == (ErrorKind.INVALID_ARGUMENTS, "/name")


@pytest.mark.parametrize("name", ["é", "e\u0301", "a/b", "..", "*", ">", "a\n", "🙂", "A B"])
@each_family
async def test_any_other_text_names_nothing(
    noun: str, plural: str, kind: EntityKind, made: Made, change: Made, name: str, call: Calls
) -> None:
    await call(f"create_{noun}", made)
    assert (await call(f"read_{noun}", {"name": name}))["kind"] == ErrorKind.NOT_FOUND
    assert await call(f"delete_{noun}", {"name": name}) == {"deleted": False}


@pytest.mark.parametrize("noun", ["tool", "function", "skill"])
async def test_what_is_disabled_is_only_listed_when_asked_for(noun: str, call: Calls) -> None:
    made = next(one[3] for one in FAMILIES if one[0] == noun)
    name = made["name"]
    await call(f"create_{noun}", made)
    assert await call(f"disable_{noun}", {"name": name}) == {"name": name, "enabled": False}
    assert await call(f"list_{noun}s", {}) == {f"{noun}s": []}
    (listed,) = (await call(f"list_{noun}s", {"include_disabled": True}))[f"{noun}s"]
    assert listed["enabled"] is False
    assert (await call(f"read_{noun}", {"name": name}))["enabled"] is False
    assert await call(f"enable_{noun}", {"name": name}) == {"name": name, "enabled": True}
    assert await call(f"enable_{noun}", {"name": name}) == {"name": name, "enabled": True}
    assert (await call(f"read_{noun}", {"name": name}))["version"] == 3


BAD_SCHEMAS: list[tuple[dict[str, Any], str]] = [
    ({"type": "array"}, "/parameter_schema/type"),
    ({}, "/parameter_schema/type"),
    ({"type": "object", "properties": {"a": {"type": "nonsense"}}}, "/parameter_schema/properties/a/type"),
    ({"type": "object", "required": "a"}, "/parameter_schema/required"),
    ({"type": "object", "description": "x" * 70_000}, "/parameter_schema"),
]


@pytest.mark.parametrize("noun", ["tool", "function"])
async def test_bad_schemas_and_code_are_refused_before_anything_is_stored(noun: str, call: Calls) -> None:
    for schema, path in BAD_SCHEMAS:
        refused = await call(f"create_{noun}", {**CODE, "parameter_schema": schema})
        assert refused["path"] == path
        assert refused["kind"] in (ErrorKind.REJECTED, ErrorKind.INVALID_ARGUMENTS, ErrorKind.TOO_LARGE)
    elsewhere = {"type": "object", "properties": {"a": {"$ref": "http://10.0.0.1/x"}}}
    refused = await call(f"create_{noun}", {**CODE, "parameter_schema": elsewhere})
    assert "$ref isn't supported" in refused["message"]
    refused = await call(f"create_{noun}", {**CODE, "code": "let a\n  f("})
    assert (refused["kind"], refused["path"]) == (ErrorKind.REJECTED, "/code")
    assert "line 2, column 5" in refused["message"]
    assert await call(f"list_{noun}s", {}) == {f"{noun}s": []}
    await call(f"create_{noun}", CODE)
    assert (await call(f"update_{noun}", {"name": "to_f", "code": "("}))["kind"] == ErrorKind.REJECTED
    assert (await call(f"update_{noun}", {"name": "to_f", "parameter_schema": {}}))[
        "kind"
    ] == ErrorKind.REJECTED
    assert (await call(f"read_{noun}", {"name": "to_f"}))["version"] == 1


@pytest.mark.parametrize(
    ("tool", "arguments", "names"),
    [
        (
            "create_tool",
            CODE,
            ["", "A", "1a", "a-b", "é", "a" * 65, "a\n", "a\r", " a", "a\u0301", "ａ", "a\x00"],
        ),
        ("create_library", {"description": "d", "code": ""}, ["", "A", "../x", "a" * 65, "a\n"]),
        ("create_skill", {"description": "d", "content": ""}, ["", "A", "a_b", "a" * 65, "é", "a\n", "a b"]),
        (
            "create_ui_component",
            {"description": "d", "code": ""},
            ["", "1", "a/b", "a" * 65, "A\n", "é", " A"],
        ),
    ],
)
async def test_names_are_checked(tool: str, arguments: dict[str, Any], names: list[str], call: Calls) -> None:
    for name in names:
        refused = await call(tool, {**arguments, "name": name})
        assert (refused["kind"], refused["path"]) == (ErrorKind.INVALID_ARGUMENTS, "/name"), name


async def test_the_name_of_a_built_in_tool_is_taken(call: Calls) -> None:
    for tool in ("create_tool", "create_function"):
        refused = await call(tool, {**CODE, "name": "get_state"})
        assert (refused["kind"], refused["path"]) == (ErrorKind.REJECTED, "/name")
    assert await call("create_library", {"name": "get_state", "description": "d", "code": ""})


async def test_a_skills_content_is_edited_by_the_shared_operations(call: Calls) -> None:
    await call("create_skill", {"name": "s", "description": "d", "content": "a.b\r\na.b é"})
    edit = {"name": "s", "operation": "find_replace", "find": "a.b", "replace": "x", "replace_all": True}
    assert (await call("update_skill", edit))["version"] == 2
    assert (await call("update_skill", {"name": "s", "operation": "append", "content": "!"}))["version"] == 3
    read = await call("read_skill", {"name": "s"})
    assert (read["content"], read["description"]) == ("x\r\nx é!", "d")
    for arguments, kind in (
        ({"operation": "find_replace", "find": "gone", "replace": ""}, ErrorKind.REJECTED),
        ({"operation": "find_replace", "find": "", "replace": ""}, ErrorKind.INVALID_ARGUMENTS),
        ({"operation": "append"}, ErrorKind.INVALID_ARGUMENTS),
        ({"content": "without an operation"}, ErrorKind.INVALID_ARGUMENTS),
    ):
        assert (await call("update_skill", {"name": "s", **arguments}))["kind"] == kind
    assert (await call("read_skill", {"name": "s"}))["version"] == 3


async def test_a_call_that_is_run_again_after_it_wrote_makes_one_version() -> None:
    world = World()
    call = call_from(decode(await world.request("create_tool", CODE, effect=Effect.RECORDED)))
    entities = Entities(world.log, world.clock, event_sources.RUNNER)
    value = ToolDefinition("d", SCHEMA, "")
    for _ in range(2):
        definitions = StoredDefinitions(entities, context_of(call, 1, asyncio.Event()))
        assert await definitions.create(TOOL, "to_f", value) == 1
    assert len(await entities.history(EntityKey(AGENT, EntityKind.TOOL, "to_f"))) == 1
