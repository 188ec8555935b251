"""The board: what is to be done, how it stands, and what is refused."""

from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from foldline_testing.agent_tools.called import Called


async def test_an_issue_is_put_on_the_board_changed_and_closed(called: Called) -> None:
    created = await called.text("beads_create", title="Fix the  roof")
    issue = created.split()[1].rstrip(":")
    assert created == f"Created {issue}: Fix the roof (task, p2)"
    assert issue.startswith("bd-")
    assert await called.text("beads_list") == f"[open] {issue} (p2, task) Fix the roof"
    changed = await called.text("beads_update", issue_id=issue, status="in_progress", priority=0)
    assert changed == f"Updated {issue}: [in_progress] Fix the roof"
    assert await called.text("beads_list") == f"[in_progress] {issue} (p0, task) Fix the roof"
    assert await called.text("beads_close", issue_id=issue, reason="done") == f"Closed {issue}: Fix the roof"
    assert await called.text("beads_list") == "No issues on the board."
    assert await called.text("beads_list", include_closed=True) == f"[closed] {issue} (p0, task) Fix the roof"


async def test_what_is_empty_stays_as_it_is(called: Called) -> None:
    created = await called.text(
        "beads_create", title="Roof", description="It leaks", priority=3, issue_type="bug"
    )
    issue = created.split()[1].rstrip(":")
    await called.text("beads_update", issue_id=issue, title="The roof", status="", priority=-1, issue_type="")
    assert await called.text("beads_list") == f"[open] {issue} (p3, bug) The roof"


async def test_the_most_urgent_is_first_and_of_equals_the_oldest(called: Called) -> None:
    for title, priority in (("c", 2), ("a", 0), ("d", 2), ("b", 1)):
        await called.text("beads_create", title=title, priority=priority)
    assert [line[-1] for line in (await called.text("beads_list")).split("\n")] == ["a", "b", "c", "d"]


async def test_before_there_is_a_board_it_is_empty(called: Called) -> None:
    assert await called.text("beads_list", include_closed=True) == "No issues on the board."


@pytest.mark.parametrize("tool", ["beads_update", "beads_close"])
async def test_an_issue_that_there_is_not_is_not_found(called: Called, tool: str) -> None:
    asked = {"status": "open"} if tool == "beads_update" else {}
    for _ in range(2):
        kind, message, path = await called.error(tool, issue_id="bd-none", **asked)
        assert (kind, message, path) == (ErrorKind.NOT_FOUND, "Error: no such issue bd-none", "/issue_id")
        await called.text("beads_create", title="something")


@pytest.mark.parametrize(
    ("tool", "arguments", "path"),
    [
        ("beads_create", {}, "/title"),
        ("beads_create", {"title": "  "}, "/title"),
        ("beads_create", {"title": "x", "priority": 4}, "/priority"),
        ("beads_create", {"title": "x", "priority": -1}, "/priority"),
        ("beads_create", {"title": "x", "issue_type": "story"}, "/issue_type"),
        ("beads_create", {"title": "x", "status": "open"}, "/status"),
        ("beads_list", {"include_closed": "yes"}, "/include_closed"),
        ("beads_list", {"limit": 1}, "/limit"),
        ("beads_update", {"status": "open"}, "/issue_id"),
        ("beads_update", {"issue_id": "bd-1", "status": "done"}, "/status"),
        ("beads_update", {"issue_id": "bd-1", "priority": 9}, "/priority"),
        ("beads_update", {"issue_id": "bd-1"}, None),
        ("beads_close", {}, "/issue_id"),
        ("beads_close", {"issue_id": 1}, "/issue_id"),
        ("beads_close", {"issue_id": "bd-1", "status": "x"}, "/status"),
    ],
)
async def test_what_is_missing_too_much_or_wrong_is_named(
    called: Called, tool: str, arguments: dict[str, Any], path: str | None
) -> None:
    kind, _, where = await called.error(tool, **arguments)
    assert (kind, where) == (ErrorKind.INVALID_ARGUMENTS, path)
