"""Planning by session, and playbooks by agent."""

from typing import Any

import pytest

from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import SessionId
from agent_contracts.json_value import Json
from agent_platform.entities.entity import EntityKey
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.product.libragent_world import LibraWorld

STEP: dict[str, Json] = {
    "stepId": "1",
    "description": "Find the page.",
    "action": {"toolName": "web_search", "purpose": "to know the address"},
    "requiredData": ["topic"],
    "outputVariable": "address",
}
PLAYBOOK: dict[str, Json] = {
    "goal": "Report on a topic",
    "initialCommand": "Report on canaries",
    "workflow": [STEP],
    "successCriteria": "there is a report",
}


async def test_a_session_plans_and_marks_what_is_done(libra: LibraWorld) -> None:
    await libra.get("create_goal", goal="Write the\n report")
    await libra.get("add_todo", name="Collect figures")
    await libra.get("add_todo", name="Draft")
    await libra.get("mark_todo", id=1, summary="12 figures")
    now = await libra.get("add_memo", memo="The boss likes tables")
    assert now == await libra.get("get_current_state")
    assert now == {
        "goal": "Write the report",
        "earlier_goals": [],
        "todos": [
            {"id": 1, "name": "Collect figures", "completed": True, "summary": "12 figures"},
            {"id": 2, "name": "Draft", "completed": False, "summary": ""},
        ],
        "memos": [{"id": 1, "memo": "The boss likes tables"}],
    }
    assert (await libra.get("mark_todo", id=1, completed=False))["todos"][0]["summary"] == ""
    assert (await libra.get("clear_memo", id=1))["memos"] == []
    assert [one["id"] for one in (await libra.get("clear_todos", ids=[1]))["todos"]] == [2]
    assert (await libra.get("clear_todos"))["todos"] == []
    cleared = await libra.get("clear_goal")
    assert (cleared["goal"], cleared["earlier_goals"]) == (None, ["Write the report"])


async def test_each_session_has_a_plan_of_its_own_which_is_an_entity_with_versions(
    libra: LibraWorld,
) -> None:
    await libra.get("create_goal", "s1", goal="one")
    await libra.get("add_todo", "s1", name="first")
    assert (await libra.get("get_current_state", "s2"))["goal"] is None
    kept = await libra.entities.current(EntityKey(AGENT, EntityKind.PLAN, "s1"))
    assert kept is not None
    assert (kept.value, kept.version) == ("## Goal\none\n\n## To-dos\n- [ ] 1. first", 2)
    assert kept.session_id == SessionId("s1")


async def test_a_playbook_is_written_found_followed_changed_and_deleted(libra: LibraWorld) -> None:
    made = await libra.get("create_playbook", **PLAYBOOK)
    assert made == {"id": made["id"], "version": 1, **PLAYBOOK}
    assert await libra.get("get_playbook", "s2", id=made["id"]) == made
    selected = await libra.get("select_playbook", id=made["id"])
    assert selected["playbook"] == made
    assert (
        "1. Find the page. With web_search: to know the address. It needs topic." in selected["instructions"]
    )
    changed = await libra.get("update_playbook", id=made["id"], goal="Report well")
    assert changed == {**made, "version": 2, "goal": "Report well"}
    listed = await libra.get("list_playbooks")
    assert listed["playbooks"] == [{"id": made["id"], "version": 2, "goal": "Report well", "steps": 1}]
    assert await libra.get("delete_playbook", id=made["id"]) == {"deleted": True}
    assert await libra.get("delete_playbook", id=made["id"]) == {"deleted": False}
    assert (await libra.get("list_playbooks"))["total"] == 0


async def test_playbooks_are_listed_a_page_at_a_time(libra: LibraWorld) -> None:
    for _ in range(12):
        await libra.get("create_playbook", **PLAYBOOK)
    first, second = await libra.get("list_playbooks"), await libra.get("list_playbooks", page=2)
    assert (len(first["playbooks"]), len(second["playbooks"]), first["total"]) == (10, 2, 12)
    assert (await libra.get("list_playbooks", page=3, pageSize=5))["playbooks"] == second["playbooks"]


def _step(**changes: Any) -> list[Json]:
    return [{key: value for key, value in {**STEP, **changes}.items() if value is not None}]


WRONG: list[tuple[str, dict[str, Json], str, str | None]] = [
    ("create_goal", {}, "invalid_arguments", "/goal"),
    ("create_goal", {"goal": " \n"}, "invalid_arguments", "/goal"),
    ("create_goal", {"goal": "x", "y": 1}, "invalid_arguments", "/y"),
    ("create_goal", {"goal": "x" * 4_001}, "invalid_arguments", "/goal"),
    ("clear_goal", {"x": 1}, "invalid_arguments", "/x"),
    ("add_todo", {}, "invalid_arguments", "/name"),
    ("add_todo", {"name": 1}, "invalid_arguments", "/name"),
    ("add_todo", {"name": "x", "y": 1}, "invalid_arguments", "/y"),
    ("mark_todo", {}, "invalid_arguments", "/id"),
    ("mark_todo", {"id": "1"}, "invalid_arguments", "/id"),
    ("mark_todo", {"id": 1, "x": 1}, "invalid_arguments", "/x"),
    ("mark_todo", {"id": 7}, "not_found", "/id"),
    ("clear_todos", {"ids": [7]}, "not_found", "/ids"),
    ("clear_todos", {"ids": "1"}, "invalid_arguments", "/ids"),
    ("clear_todos", {"x": 1}, "invalid_arguments", "/x"),
    ("add_memo", {}, "invalid_arguments", "/memo"),
    ("add_memo", {"memo": None}, "invalid_arguments", "/memo"),
    ("add_memo", {"memo": "x", "y": 1}, "invalid_arguments", "/y"),
    ("clear_memo", {}, "invalid_arguments", "/id"),
    ("clear_memo", {"id": 1}, "not_found", "/id"),
    ("clear_memo", {"id": 1, "x": 1}, "invalid_arguments", "/x"),
    ("get_current_state", {"x": 1}, "invalid_arguments", "/x"),
    ("create_playbook", {"workflow": [STEP]}, "invalid_arguments", "/goal"),
    ("create_playbook", {**PLAYBOOK, "x": 1}, "invalid_arguments", "/x"),
    ("create_playbook", {**PLAYBOOK, "workflow": []}, "invalid_arguments", "/workflow"),
    ("create_playbook", {**PLAYBOOK, "workflow": _step(stepId=1)}, "invalid_arguments", "/workflow/0/stepId"),
    (
        "create_playbook",
        {**PLAYBOOK, "workflow": _step(action=None)},
        "invalid_arguments",
        "/workflow/0/action",
    ),
    ("get_playbook", {}, "invalid_arguments", "/id"),
    ("get_playbook", {"id": "pb_x"}, "not_found", "/id"),
    ("get_playbook", {"id": "pb_x", "x": 1}, "invalid_arguments", "/x"),
    ("select_playbook", {}, "invalid_arguments", "/id"),
    ("select_playbook", {"id": "pb_x"}, "not_found", "/id"),
    ("select_playbook", {"id": 1}, "invalid_arguments", "/id"),
    ("update_playbook", {"goal": "x"}, "invalid_arguments", "/id"),
    ("update_playbook", {"id": "pb_x"}, "invalid_arguments", None),
    ("update_playbook", {"id": "pb_x", "goal": "x"}, "not_found", "/id"),
    ("update_playbook", {"id": "pb_x", "initial_command": "x"}, "invalid_arguments", "/initial_command"),
    ("delete_playbook", {}, "invalid_arguments", "/id"),
    ("delete_playbook", {"id": 1}, "invalid_arguments", "/id"),
    ("delete_playbook", {"id": "x", "y": 1}, "invalid_arguments", "/y"),
    ("list_playbooks", {"page": 0}, "invalid_arguments", "/page"),
    ("list_playbooks", {"page": "1"}, "invalid_arguments", "/page"),
    ("list_playbooks", {"pagesize": 1}, "invalid_arguments", "/pagesize"),
]


@pytest.mark.parametrize(("tool", "arguments", "kind", "path"), WRONG)
async def test_what_does_not_fit_is_said(
    libra: LibraWorld, tool: str, arguments: dict[str, Json], kind: str, path: str | None
) -> None:
    error = await libra.refused(tool, **arguments)
    assert (error.kind, error.path) == (kind, path)
