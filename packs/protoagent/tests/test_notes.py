"""Notes: what people share on the page, and that the agent gets no further than their switches say."""

from collections.abc import Callable
from typing import Any

import pytest

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.notebook import NOTEBOOK, tab_key
from agent_contracts.errors import ErrorKind
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import RunsOn
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_tools.registry import Registry
from foldline_testing.agent_tools.called import Called
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.tool_runner.world import World

People = Callable[[str, Json], Any]


@pytest.fixture
def called(whole: Registry) -> Called:
    """An agent with the pack and the core tools, on the ports of a real runner."""
    return Called(World(registry=whole.on(RunsOn.TOOLS)), "protoagent")


@pytest.fixture
async def people(called: Called) -> People:
    """Write a key of the state as people's pages do. There are the tabs Todo (shared) and Diary (not)."""
    world: Any = called.world
    count = iter(range(1_000))

    async def write(key: str, value: Json) -> None:
        entity = EntityKey(AGENT, EntityKind.STATE, key)
        await world.entities.write(entity, value, EntityWriter.user(f"e-{next(count)}"))

    await write(NOTEBOOK, ["Todo", "Diary", "Rules"])
    await write(tab_key("Todo"), {"content": "- milk", "agentRead": True, "agentWrite": True})
    await write(tab_key("Diary"), {"content": "secret", "agentRead": False, "agentWrite": False})
    await write(tab_key("Rules"), {"content": "Be kind", "agentRead": True, "agentWrite": False})
    return write


async def test_the_tabs_are_listed_with_what_the_agent_may(called: Called, people: People) -> None:
    assert await called.text("notes_list") == (
        "Todo (read: on, write: on)\nDiary (read: off, write: off)\nRules (read: on, write: off)"
    )


async def test_without_tabs_that_is_said(called: Called) -> None:
    assert await called.text("notes_list") == "No tabs."
    assert await called.text("notes_read") == "No tabs are shared."
    kind, message, _ = await called.error("notes_read", tab="Todo")
    assert (kind, message) == (ErrorKind.NOT_FOUND, "Error: no such tab 'Todo'. Tabs: none")


async def test_only_what_is_shared_is_read(called: Called, people: People) -> None:
    assert await called.text("notes_read", tab="todo") == "- milk"
    assert await called.text("notes_read") == "# Todo\n- milk\n\n# Rules\nBe kind"
    kind, message, _ = await called.error("notes_read", tab="Diary")
    assert (kind, message) == (ErrorKind.BLOCKED, "Error: tab 'Diary' is not shared: its Agent read is off")


async def test_what_is_written_is_below_or_in_place_of_what_was_there(called: Called, people: People) -> None:
    assert await called.text("notes_write", tab="Todo", content="- tea") == (
        "Appended to 'Todo' (4 words, 12 chars)."
    )
    assert await called.text("notes_read", tab="Todo") == "- milk\n- tea"
    await called.text("notes_write", tab="Todo", content="nothing", mode="replace")
    assert await called.text("notes_read", tab="Todo") == "nothing"


async def test_changes_are_taken_back_one_by_one_or_several_at_once(called: Called, people: People) -> None:
    for item in ("a", "b", "c", "d"):
        await called.text("notes_write", tab="Todo", content=item, mode="replace")
    assert await called.text("notes_revert", tab="Todo") == "Reverted 'Todo' (1 words, 1 chars) by 1 step."
    assert await called.text("notes_read", tab="Todo") == "c"
    await called.text("notes_revert", tab="Todo", steps=2)
    assert await called.text("notes_read", tab="Todo") == "a"
    await called.text("notes_write", tab="Todo", content="e", mode="replace")
    await called.text("notes_revert", tab="Todo", steps=2)
    assert await called.text("notes_read", tab="Todo") == "- milk"
    kind, message, path = await called.error("notes_revert", tab="Todo", steps=2)
    assert (kind, path) == (ErrorKind.REJECTED, "/steps")
    assert message == "Error: the tab 'Todo' has 0 changes to take back, not 2"


async def test_people_s_changes_are_kept_and_their_switches_are_not_taken_back(
    called: Called, people: People
) -> None:
    await called.text("notes_write", tab="Todo", content="- tea")
    await people(tab_key("Todo"), {"content": "- milk\n- tea", "agentRead": False, "agentWrite": True})
    text = await called.text("notes_revert", tab="Todo")
    assert text == "Reverted 'Todo' by 1 step."
    assert (await called.error("notes_read", tab="Todo"))[0] == ErrorKind.BLOCKED


@pytest.mark.parametrize("tab", ["Rules", "Diary"])
async def test_a_tab_that_is_not_for_the_agent_to_write_stays(
    called: Called, people: People, tab: str
) -> None:
    for tool, more in (("notes_write", {"content": "x"}), ("notes_revert", {})):
        kind, message, path = await called.error(tool, tab=tab, **more)
        assert (kind, path) == (ErrorKind.BLOCKED, "/tab")
        assert message == f"Error: tab {tab!r} is read-only for you: its Agent write is off"


async def test_the_agent_makes_no_tab(called: Called, people: People) -> None:
    kind, message, _ = await called.error("notes_write", tab="Mine", content="x")
    assert (kind, message) == (ErrorKind.NOT_FOUND, "Error: no such tab 'Mine'. Tabs: Todo, Diary, Rules")


async def test_no_other_tool_gets_at_the_notes(called: Called, people: People) -> None:
    core = Called(called.world)
    for key in (NOTEBOOK, tab_key("Diary")):
        for tool, more in (
            ("get_state", {}),
            ("set_state", {"value": {"content": "x", "agentRead": True, "agentWrite": True}}),
            ("delete_state", {}),
        ):
            kind, _, path = await core.error(tool, key=key, **more)
            assert (kind, path) == (ErrorKind.BLOCKED, "/key")
    assert (await core.event("list_state_keys")).result["keys"] == []


async def test_a_tab_is_full_at_some_point(called: Called, people: People) -> None:
    await called.text("notes_write", tab="Todo", content="x" * 99_990)
    kind, _, path = await called.error("notes_write", tab="Todo", content="x" * 100)
    assert (kind, path) == (ErrorKind.TOO_LARGE, "/content")


async def test_a_call_that_is_run_again_writes_once(called: Called, people: People) -> None:
    first, second = await called.twice("notes_write", tab="Todo", content="- tea")
    assert first.result == second.result == "Appended to 'Todo' (4 words, 12 chars)."
    assert await called.text("notes_read", tab="Todo") == "- milk\n- tea"


@pytest.mark.parametrize("value", [None, 7, "x", {"content": 3, "agentRead": "yes"}, ["x"]])
async def test_whatever_a_page_wrote_the_notes_can_be_read(
    called: Called, people: People, value: Json
) -> None:
    await people(tab_key("Todo"), value)
    await people(NOTEBOOK, ["Todo", "", 7, "Todo", "x" * 100])
    assert await called.text("notes_list") == "Todo (read: off, write: off)"


@pytest.mark.parametrize(
    ("tool", "arguments", "path"),
    [
        ("notes_list", {"tab": "Todo"}, "/tab"),
        ("notes_read", {"tab": 1}, "/tab"),
        ("notes_read", {"name": "Todo"}, "/name"),
        ("notes_write", {"content": "x"}, "/tab"),
        ("notes_write", {"tab": "Todo"}, "/content"),
        ("notes_write", {"tab": "Todo", "content": "x", "mode": "prepend"}, "/mode"),
        ("notes_revert", {}, "/tab"),
        ("notes_revert", {"tab": "Todo", "steps": 0}, "/steps"),
        ("notes_revert", {"tab": "Todo", "to": 1}, "/to"),
    ],
)
async def test_what_is_missing_too_much_or_wrong_is_named(
    called: Called, tool: str, arguments: dict[str, Any], path: str
) -> None:
    kind, _, where = await called.error(tool, **arguments)
    assert (kind, where) == (ErrorKind.INVALID_ARGUMENTS, path)
