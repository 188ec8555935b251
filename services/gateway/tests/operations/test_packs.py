"""Packs that a person enables: in which order, what comes and goes with them, and what can't be enabled."""

from typing import Any

import msgspec
import pytest

from agent_contracts.api.packs import PacksOfAgent
from agent_contracts.api.versions import VersionTarget
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.entities.definitions import ToolDefinition
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_contracts.kinds.skill import SKILL as SKILL_KIND
from agent_contracts.packs import BroughtThing, PackAbout, PackSettings, PackSwitch
from agent_contracts.tool_spec import Catalogue, Effect, RunsOn, ToolSpec
from agent_domain.definitions import to_json
from agent_platform.entities.entity import Entity, EntityKey, EntityWriter
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.agents.definitions import DefinitionKey
from gateway.operations.idempotency import asked

NIGHTLY = {"name": "Tidy up", "task": "Tidy up what you remember.", "cron": "0 3 * * *"}
SKILL = {"description": "How to.", "content": "Do it."}
BRINGS = (
    BroughtThing("schedule", "t_tidy", NIGHTLY),
    BroughtThing("skill", "how-to", SKILL),
)


def spec(name: str, pack: str = "") -> ToolSpec:
    return ToolSpec(name, "Does it.", {"type": "object"}, "some", Effect.PURE, RunsOn.TOOLS, pack=pack)


@pytest.fixture
async def packs(memory: InMemory) -> InMemory:
    await memory.catalog.put(Catalogue("core", "1", [spec("fetch_url"), spec("db_sql")]))
    about = PackAbout("First", "What comes first.", brings=BRINGS)
    await memory.catalog.put(Catalogue("first", "1.2", [spec("fetch_url", "first")], about=about))
    about = PackAbout("Second", "What comes then.")
    tools = [spec("fetch_url", "second"), spec("pulse", "second")]
    await memory.catalog.put(Catalogue("second", "2", tools, about=about))
    await memory.catalog.put(Catalogue("bad", "0", [], about=PackAbout("Bad", "", problem="it is torn")))
    await memory.operations.agents.make_default()
    return memory


async def enable(memory: InMemory, *names: str, version: int | None = None) -> PacksOfAgent:
    return await memory.operations.packs.write(DEFAULT_AGENT, names, version, asked(None, list(names)))


async def thing(memory: InMemory, kind: EntityKind, name: str) -> Entity | None:
    found: Entity | None = await entities(memory).current(EntityKey(DEFAULT_AGENT, kind, name))
    return found


def entities(memory: InMemory) -> Any:
    return memory.operations.packs._edits.entities


async def test_all_are_off_at_first_and_the_broken_one_says_why(packs: InMemory) -> None:
    found = await packs.operations.packs.read(DEFAULT_AGENT)
    told = [(one.name, one.enabled, one.problem) for one in found.packs]
    assert told == [("bad", False, "it is torn"), ("first", False, None), ("second", False, None)]
    assert (found.version, found.renamed) == (0, [])


async def test_they_are_enabled_in_their_order_and_names_follow_from_it(packs: InMemory) -> None:
    key = EntityKey(DEFAULT_AGENT, EntityKind.TOOL, "pulse")
    own = to_json(ToolDefinition("Mine.", {"type": "object"}, "return 1"))
    await entities(packs).write(key, own, EntityWriter.user("e_made"))
    found = await enable(packs, "second", "first")
    assert [one.name for one in found.packs] == ["second", "first", "bad"]
    called = {tool.tool: tool.name for one in found.packs for tool in one.tools}
    assert called == {
        "second.fetch_url": "fetch_url",
        "second.pulse": "pulse",
        "first.fetch_url": "first_fetch_url",
    }
    assert {one.tool: one.name for one in found.renamed} == {
        "fetch_url": "core_fetch_url",
        "pulse": "own_pulse",
    }
    again = await enable(packs, "second", "first")
    assert again.version == 1, "the same makes no version"
    assert (await enable(packs, "first", "second")).version == 2


async def test_what_a_pack_brings_comes_with_it_and_goes_with_it_unless_changed(packs: InMemory) -> None:
    await enable(packs, "first")
    schedule = await thing(packs, EntityKind.SCHEDULE, "t_tidy")
    assert schedule is not None
    assert (schedule.value["cron"], schedule.value.get("timezone", "UTC")) == ("0 3 * * *", "UTC")
    skill = await thing(packs, EntityKind.SKILL, "how-to")
    assert skill is not None
    assert skill.sequence == schedule.sequence + 1, "all of it is written at once"
    await enable(packs)
    assert await thing(packs, EntityKind.SCHEDULE, "t_tidy") is None
    assert await thing(packs, EntityKind.SKILL, "how-to") is None
    await enable(packs, "first")
    changed = {"description": "How to.", "content": "Do it otherwise."}
    await entities(packs).write(skill.key, changed, EntityWriter.user("e_changed"))
    await enable(packs)
    kept = await thing(packs, EntityKind.SKILL, "how-to")
    assert kept is not None
    assert kept.value == changed
    await enable(packs, "first")
    assert (await thing(packs, EntityKind.SKILL, "how-to") or kept).value == changed


async def test_a_task_that_a_person_stopped_goes_with_the_pack_and_is_not_made_anew_before(
    packs: InMemory,
) -> None:
    await enable(packs, "first")
    schedule = await thing(packs, EntityKind.SCHEDULE, "t_tidy")
    assert schedule is not None
    stopped = {**schedule.value, "enabled": False}
    await entities(packs).write(schedule.key, stopped, EntityWriter.user("e_stopped"))
    await enable(packs, "second", "first")
    assert (await thing(packs, EntityKind.SCHEDULE, "t_tidy") or schedule).value == stopped
    await enable(packs, "second")
    assert await thing(packs, EntityKind.SCHEDULE, "t_tidy") is None


@pytest.mark.parametrize(
    ("names", "kind", "why"),
    [
        (("frist",), "not_found", "did you mean first"),
        (("other",), "not_found", "There are: bad, first, second"),
        (("bad",), "unavailable", "can't be used: it is torn"),
        (("first", "first"), "invalid_request", "named twice"),
        (tuple(f"p{number}" for number in range(21)), "too_large", "At most 20"),
    ],
)
async def test_what_cannot_be_enabled_changes_nothing(
    packs: InMemory, names: tuple[str, ...], kind: str, why: str
) -> None:
    with pytest.raises(Rejected, match=why) as refused:
        await enable(packs, *names)
    assert refused.value.kind == kind
    assert (await packs.operations.packs.read(DEFAULT_AGENT)).version == 0


async def test_two_people_at_once_do_not_undo_each_other(packs: InMemory) -> None:
    await enable(packs, "first", version=0)
    with pytest.raises(Rejected, match="version 1, not 0") as refused:
        await enable(packs, "second", version=0)
    assert refused.value.kind == "conflict"


async def test_an_earlier_version_comes_back_with_what_its_packs_bring(packs: InMemory) -> None:
    await enable(packs, "first")
    before = (await packs.operations.packs.read(DEFAULT_AGENT)).sequence
    await enable(packs, "second")
    assert await thing(packs, EntityKind.SKILL, "how-to") is None
    found = await packs.operations.packs.revert(DEFAULT_AGENT, VersionTarget(version=1), asked(None, 1))
    assert [one.name for one in found.packs if one.enabled] == ["first"]
    assert await thing(packs, EntityKind.SKILL, "how-to") is not None
    told = await packs.operations.packs.versions(DEFAULT_AGENT, None, 50)
    assert [one.version for one in told.items] == [3, 2, 1]
    then = await packs.operations.packs.read(DEFAULT_AGENT, before)
    assert [one.name for one in then.packs if one.enabled] == ["first"]


async def test_a_pack_that_is_gone_stays_enabled_adds_nothing_and_can_be_disabled(packs: InMemory) -> None:
    await enable(packs, "second")
    await packs.catalog._bucket.delete("second")
    (found, *_) = (await packs.operations.packs.read(DEFAULT_AGENT)).packs
    assert (found.name, found.enabled, found.installed, found.tools) == ("second", True, False, [])
    await enable(packs, "second", "first")
    assert [one.name for one in (await enable(packs, "first")).packs if one.enabled] == ["first"]


async def test_what_a_pack_brought_is_its_own_until_somebody_changes_it(packs: InMemory) -> None:
    made = DefinitionKey(DEFAULT_AGENT, SKILL_KIND, "how-to")
    await enable(packs, "first")
    definitions = packs.operations.definitions
    assert (await definitions.read(made)).brought_by == "first"
    await definitions.put(made, {**SKILL, "content": "Do it well."}, None, asked("changed", []))
    assert (await definitions.read(made)).brought_by is None
    assert (await definitions.version(made, VersionTarget(version=1))).brought_by == "first"


async def test_the_secrets_that_its_tools_wait_for_are_named(packs: InMemory) -> None:
    tool = msgspec.structs.replace(spec("send", "needy"), needs=("secret:BOT_TOKEN", "delegate"))
    await packs.catalog.put(Catalogue("needy", "1", [tool], about=PackAbout("Needy", "")))
    needy = next(one for one in (await enable(packs, "needy")).packs if one.name == "needy")
    assert (needy.enabled, needy.missing_secrets) == (True, ["BOT_TOKEN"])
    key = EntityKey(DEFAULT_AGENT, EntityKind.SECRET, "BOT_TOKEN")
    await entities(packs).write(key, {"hosts": ["bot.test"], "revision": 1}, EntityWriter.user("e_secret"))
    found = await packs.operations.packs.read(DEFAULT_AGENT)
    assert all(one.missing_secrets == [] for one in found.packs)


async def test_a_pack_whose_code_cannot_be_read_is_not_enabled(packs: InMemory) -> None:
    function = {"description": "A list.", "parameter_schema": {"type": "object"}, "code": "return {"}
    brings = (BroughtThing("function", "todo", function), *BRINGS)
    about = PackAbout("Torn", "It has a function.", brings=brings)
    await packs.catalog.put(Catalogue("torn", "1", [spec("pulse", "torn")], about=about))
    packs.runner.refusal = Rejected("line 1: unexpected end", kind="invalid_request")
    with pytest.raises(Rejected, match=r"The pack torn can't be enabled: its .*todo.*line 1") as refused:
        await enable(packs, "second", "torn")
    assert refused.value.path == "/packs/1"
    assert (await packs.operations.packs.read(DEFAULT_AGENT)).version == 0
    packs.runner.refusal = None
    enabled = await enable(packs, "torn")
    packs.runner.refusal = Rejected("line 1: unexpected end", kind="invalid_request")
    assert (await enable(packs, "torn", "second")).version == (enabled.version or 0) + 1


TOOLS_DISABLED: Json = {"type": "array", "items": {"type": "string"}, "maxItems": 3, "default": []}
SETTINGS = PackSettings(
    {"type": "object", "properties": {"tools.disabled": TOOLS_DISABLED}, "additionalProperties": False},
    ({"name": "tools.disabled", "type": "lines"},),
    (PackSwitch("tools.disabled"),),
)


@pytest.fixture
async def switched(packs: InMemory) -> InMemory:
    about = PackAbout("Set", "It has settings.", settings=SETTINGS)
    tools = [spec("calculator", "set"), spec("clock", "set")]
    await packs.catalog.put(Catalogue("set", "1", tools, about=about))
    return packs


async def set_of(memory: InMemory, *names: str, **settings: dict[str, Json]) -> PacksOfAgent:
    request = asked(None, [list(names), settings])
    return await memory.operations.packs.write(DEFAULT_AGENT, names, None, request, settings)


def off(found: PacksOfAgent) -> dict[str, str | None]:
    tools = next(one for one in found.packs if one.name == "set").tools
    return {tool.name: tool.switched_off_by for tool in tools}


async def test_settings_switch_tools_off_and_stay_while_the_pack_is_off(switched: InMemory) -> None:
    found = await set_of(switched, "set", set={"tools.disabled": ["calc*"]})
    assert off(found) == {"calculator": "tools.disabled", "clock": None}
    assert (await set_of(switched, "set", set={"tools.disabled": ["calc*"]})).version == found.version
    found = await set_of(switched, "first")
    assert found.packs[-1].settings is not None
    assert found.packs[-1].settings.values == {"tools.disabled": ["calc*"]}
    assert off(await set_of(switched, "set")) == {"calculator": "tools.disabled", "clock": None}
    assert off(await set_of(switched, "set", set={})) == {"calculator": None, "clock": None}


async def test_an_earlier_version_comes_back_with_what_was_set_then(switched: InMemory) -> None:
    found = await set_of(switched, "set", set={"tools.disabled": ["clock"]})
    await set_of(switched, "set", set={})
    then = await switched.operations.packs.read(DEFAULT_AGENT, found.sequence)
    assert off(then)["clock"] == "tools.disabled"
    target = VersionTarget(version=found.version)
    assert off(await switched.operations.packs.revert(DEFAULT_AGENT, target, asked(None, 9)))["clock"]


@pytest.mark.parametrize(
    ("settings", "path", "why"),
    [
        ({"sett": {"tools.disabled": []}}, "/settings/sett", "did you mean set"),
        ({"first": {"tools.disabled": []}}, "/settings/first", "The pack first has no settings"),
        ({"set": {"tool.disabled": []}}, "/settings/set/tool.disabled", "did you mean tools.disabled"),
        ({"set": {"tools.disabled": "clock"}}, "/settings/set/tools.disabled", "must be an array"),
        ({"set": {"tools.disabled": ["*"] * 4}}, "/settings/set/tools.disabled", "may have at most 3"),
        ({"set": {"tools.disabled": ["clok"]}}, "/settings/set/tools.disabled", "'clok'; did you mean clock"),
        ({"set": {"tools.disabled": ["db_sql"]}}, "/settings/set/tools.disabled", "a rule of the policy"),
    ],
)
async def test_what_cannot_be_set_changes_nothing(
    switched: InMemory, settings: dict[str, dict[str, Json]], path: str, why: str
) -> None:
    with pytest.raises(Rejected, match=why) as refused:
        await set_of(switched, "set", **settings)
    assert refused.value.path == path
    assert (await switched.operations.packs.read(DEFAULT_AGENT)).version == 0


async def test_a_name_that_a_newer_pack_does_not_have_can_stay(switched: InMemory) -> None:
    await set_of(switched, "set", set={"tools.disabled": ["clock"]})
    about = PackAbout("Set", "It has settings.", settings=SETTINGS)
    await switched.catalog.put(Catalogue("set", "2", [spec("calculator", "set")], about=about))
    found = await set_of(switched, "set", set={"tools.disabled": ["clock", "calculator"]})
    assert off(found) == {"calculator": "tools.disabled"}
