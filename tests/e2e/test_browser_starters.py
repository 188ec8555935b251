"""The page that a new agent has, in a browser: what the person does on it and what the agent does meet."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.browser import WatchedPage, accessibility_faults, keep_look
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

pytestmark = pytest.mark.browser

AGENT = "lister"
SCRIPT = {
    "rules": [
        {
            "when": {"user_matches": "write down (?P<what>.+)"},
            "turns": [
                {"tool_calls": [{"name": "todo", "arguments": {"add": ["{{ match.what }}"]}}]},
                {"text": "It's on the list."},
            ],
        }
    ]
}


def said(door: Gateway, session: str, text: str) -> None:
    """Say something, and wait until the agent is done."""
    turn = ChatTurn(door, session)
    turn.say(text)
    for _ in turn.pieces():
        pass
    assert turn.status == "idle"


def test_the_starter_page_shows_and_changes_the_list_that_the_agents_tool_keeps(
    stack: Stack, door: Gateway, new_page: Callable[..., WatchedPage], screenshots: Path, axe: Path
) -> None:
    door.post("/agents", {"id": AGENT, "name": "Lister"})
    session = str(door.post("/sessions", {"agent_id": AGENT})["id"])
    said(door, session, "write down milk")
    watched = new_page(stack.url)
    page = watched.page
    page.goto(stack.link)
    page.goto(f"{stack.url}/#/s/{session}/pages/{AGENT}/To-do")
    shown = page.frame_locator("iframe.page-frame")
    expect(shown.get_by_label("milk", exact=True)).to_be_visible()

    said(door, session, "write down bread")
    expect(shown.get_by_label("bread", exact=True)).to_be_visible()
    write(shown.get_by_label("New entry"), "tea")
    shown.get_by_label("New entry").press("Enter")
    expect(shown.get_by_label("tea", exact=True)).to_be_visible()
    shown.get_by_label("milk", exact=True).click()
    expect(shown.get_by_role("button", name="Remove milk")).to_be_visible()
    expect(shown.get_by_role("checkbox", name="milk", exact=True)).to_be_checked()
    write(shown.get_by_label("New entry"), "   ")
    expect(shown.get_by_role("button", name="Add", exact=True)).to_be_disabled()
    width = shown.get_by_role("heading", name="To do", exact=True).locator("xpath=../..").bounding_box()
    assert width is not None
    assert width["width"] <= 640
    keep_look(page, screenshots / "starter-page.png")
    assert accessibility_faults(page, axe) == []

    kept = door.post(f"/agents/{AGENT}/functions/todo_items:invoke", {"arguments": {}})["result"]
    assert [[one["text"] for one in kept[part]] for part in ("open", "done")] == [
        ["bread", "tea"],
        ["milk"],
    ]
    shown.get_by_role("button", name="Remove milk").click()
    expect(shown.get_by_text("milk")).to_have_count(0)
