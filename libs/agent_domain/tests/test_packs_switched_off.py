"""Settings of a pack switch off some of its tools, by name, by pattern or by group."""

import pytest

from agent_contracts.json_value import Json
from agent_contracts.packs import PackAbout, PackSettings, PackSwitch
from agent_contracts.tool_spec import Catalogue, Effect, RunsOn, ToolSpec
from agent_domain.packs.switched_off import prompt_without, switched_off, unknown_tools

NAMES = ("notes_read", "notes_write", "calculator", "memory_recall")
PROMPT = "Read notes_read first. Use notes_*! Compute with `calculator`, e.g. 1.5 + 2.\n\nBe kind."
SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {
        "tools.disabled": {"type": "array", "items": {"type": "string"}, "default": []},
        "memory": {"type": "boolean", "default": True},
        "plugins": {"type": "array", "items": {"type": "string"}, "default": ["sums"]},
    },
}
SWITCHES = (
    PackSwitch("tools.disabled"),
    PackSwitch("memory", {"false": ("memory_*",)}),
    PackSwitch("plugins", {"sums": ("calculator",)}),
)
TOOLS = [
    ToolSpec(name, "Does it.", {"type": "object"}, "some", Effect.PURE, RunsOn.TOOLS, pack="some")
    for name in NAMES
]
PACK = Catalogue(
    "some", "1", TOOLS, about=PackAbout("Some", "", PROMPT, settings=PackSettings(SCHEMA, (), SWITCHES))
)


@pytest.mark.parametrize(
    ("values", "off"),
    [
        ({"plugins": []}, {}),
        ({}, {"calculator": "plugins"}),
        ({"plugins": ["other"], "tools.disabled": ["calculator"]}, {"calculator": "tools.disabled"}),
        (
            {"plugins": [], "tools.disabled": ["notes_*"]},
            {"notes_read": "tools.disabled", "notes_write": "tools.disabled"},
        ),
        ({"plugins": [], "tools.disabled": ["some.notes_read"]}, {"notes_read": "tools.disabled"}),
        ({"plugins": [], "memory": False}, {"memory_recall": "memory"}),
        ({"plugins": "broken", "tools.disabled": {"not": "a list"}}, {}),
    ],
)
def test_tools_are_switched_off_by_what_is_set_else_by_the_default(
    values: dict[str, Json], off: dict[str, str]
) -> None:
    assert switched_off(PACK, values) == {f"some.{name}": setting for name, setting in off.items()}


def test_a_pack_without_settings_has_all_its_tools() -> None:
    plain = Catalogue("some", "1", TOOLS, about=PackAbout("Some", "", PROMPT))
    assert switched_off(plain, {"tools.disabled": ["*"]}) == {}


def test_names_that_no_tool_of_the_pack_has_are_found() -> None:
    values: dict[str, Json] = {"tools.disabled": ["calculator", "calculater", "beads_*"], "plugins": ["x"]}
    assert unknown_tools(PACK, values) == [("tools.disabled", "calculater"), ("tools.disabled", "beads_*")]


@pytest.mark.parametrize(
    ("off", "prompt"),
    [
        ((), PROMPT),
        (("calculator",), "Read notes_read first. Use notes_*!\n\nBe kind."),
        (("notes_read",), "Use notes_*! Compute with `calculator`, e.g. 1.5 + 2.\n\nBe kind."),
        (("notes_read", "notes_write", "calculator"), "Be kind."),
    ],
)
def test_a_sentence_that_names_a_tool_that_is_off_is_left_out(off: tuple[str, ...], prompt: str) -> None:
    assert prompt_without(PACK, {f"some.{name}" for name in off}) == prompt
