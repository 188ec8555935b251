"""A tool that a pack's setting switches off isn't offered, and its name stays taken."""

from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.ids import CallId
from agent_contracts.packs import PackAbout, PackSettings, PackSwitch
from agent_contracts.tool_spec import CALL_TOOL, Catalogue, Effect, RunsOn, ToolSpec
from model_caller.answers.answer import AskedCall
from model_caller.answers.resolve import ToolOffer, resolve
from model_caller.offering.packs import EnabledPacks


def tool(name: str, pack: str = "") -> ToolSpec:
    return ToolSpec(name, "Does it.", {"type": "object"}, "web", Effect.PURE, RunsOn.TOOLS, pack=pack)


CORE = (tool("fetch_url"), tool("db_sql"))
ABOUT = PackAbout(
    "Some",
    "",
    "Read pages with fetch_url. Be kind.",
    settings=PackSettings({}, (), (PackSwitch("tools.disabled"),)),
)
PACKS = {"some": Catalogue("some", "1", [tool("fetch_url", "some"), tool("clock", "some")], about=ABOUT)}


def written(*disabled: str) -> dict[str, Any]:
    settings = {"some": {"tools.disabled": [*disabled]}} if disabled else {}
    return {"packs": ["some"], "settings": settings}


def test_it_is_not_offered_and_no_other_tool_gets_its_name() -> None:
    enabled = EnabledPacks().of(CORE, {}, PACKS, written("fetch_*"))
    assert [(one.name, one.tool) for one in enabled.usable] == [
        ("core_fetch_url", "fetch_url"),
        ("db_sql", "db_sql"),
        ("clock", "some.clock"),
    ]
    assert [one.text for one in enabled.prompts] == ["Be kind."]


def test_without_the_setting_all_is_as_before_and_the_same_objects() -> None:
    packs = EnabledPacks()
    plain = packs.of(CORE, {}, PACKS, written())
    assert plain.usable is plain.tools
    assert packs.of(CORE, {}, PACKS, written()) is plain
    assert packs.of(CORE, {}, PACKS, written("clock")) is not plain
    other = {"packs": ["some"], "settings": {"gone": {"tools.disabled": ["clock"]}}}
    assert packs.of(CORE, {}, PACKS, other) is plain, "a pack that isn't enabled switches nothing off"


@pytest.mark.parametrize("through", [None, CALL_TOOL])
def test_a_call_of_it_is_told_what_switches_it_off(through: str | None) -> None:
    enabled = EnabledPacks().of(CORE, {}, PACKS, written("clock"))
    offer = ToolOffer(enabled.usable)
    offer.lacks({}, enabled.switched_off)
    asked = AskedCall("p1", through or "clock", '{"name": "clock"}' if through else "{}")
    (call,) = resolve(CallId("c_model"), [asked], offer)
    assert call.error is not None
    assert call.error.kind == ErrorKind.NOT_AVAILABLE
    assert "the setting tools.disabled of the pack some switches it off" in call.error.message
    assert "foldline packs set some tools.disabled=" in call.error.message
