"""The studio in the browser: what the agent made is seen as it comes, compared, switched and taken back."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.looks import DESKTOP, PHONE, Looks
from foldline_testing.product.stack import Stack
from foldline_testing.product.studio_page import opened, rewrite, settled
from foldline_testing.product.typing import write

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]
VALUE = "the-canary-7f3a91"

SCHEMA = {"type": "object", "properties": {"c": {"type": "number"}}, "required": ["c"]}
FIRST = "// converts\nconst factor = 1.8\nreturn { fahrenheit: args.c * factor + 32 }\n"
SECOND = FIRST.replace("1.8", "1.9")


def calls(words: str, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A rule: a message with these words makes the model call tools, one after another."""
    turns = [{"tool_calls": [{"name": name, "arguments": arguments}]} for name, arguments in calls]
    return {"when": {"user_contains": words}, "turns": [*turns, {"text": "Done."}]}


def code(name: str, description: str, code: str) -> dict[str, Any]:
    return {"name": name, "description": description, "parameter_schema": SCHEMA, "code": code}


SCRIPT = {
    "rules": [
        calls("make it", ("create_tool", code("warm", "Celsius to Fahrenheit.", FIRST))),
        calls("worse", ("update_tool", {"name": "warm", "code": SECOND})),
        calls("use it", ("warm", {"c": 10})),
        calls(
            "everything",
            ("create_tool", code("warm", "Celsius to Fahrenheit.", FIRST)),
            ("update_tool", {"name": "warm", "code": SECOND, "description": "To Fahrenheit, roughly."}),
            ("create_function", code("half", "Half of a number.", "return args.c / 2")),
            (
                "create_skill",
                {"name": "tea", "description": "How to make tea.", "content": "Boil it.", "tags": ["hot"]},
            ),
            ("set_state", {"key": "demo/colour", "value": {"red": 1}}),
            ("set_state", {"key": "demo/colour", "value": {"red": 2}}),
        ),
        {"reply": {"text": "Hello."}},
    ]
}


def said(door: Gateway, agent: str, text: str) -> tuple[str, list[dict[str, Any]], list[str]]:
    """Say something in a new session: it, its calls, and the tools that the last model call was offered."""
    turn = ChatTurn(door, str(door.post("/sessions", {"agent_id": agent})["id"]))
    turn.say(text)
    for _ in turn.pieces():
        pass
    assert turn.status == "idle"
    state = door.get(f"/sessions/{turn.session_id}/state")
    made = [call for message in state["messages"] for call in message["tool_calls"]]
    seen = door.get(f"/sessions/{turn.session_id}/model-calls/{state['model_calls']}")
    return turn.session_id, made, [tool["function"]["name"] for tool in seen["request"]["tools"]]


def test_a_tool_appears_as_it_is_made_and_is_taken_back(
    stack: Stack, door: Gateway, new_page: NewPage
) -> None:
    door.post("/agents", {"id": "smith", "name": "Smith", "starters": False})
    watched = new_page(stack.url)
    page = watched.page
    opened(stack, page, "smith")
    expect(page.get_by_text("has made no tools yet")).to_be_visible()

    session, _, _ = said(door, "smith", "make it")
    page.get_by_role("link", name=re.compile("^warm")).click()
    tool = page.get_by_role("article", name="warm")
    expect(tool.get_by_role("textbox", name="Code")).to_contain_text("factor = 1.8")
    expect(tool.get_by_role("link", name=re.compile("raw event"))).to_have_count(1)
    expect(tool.locator(f"a[href='#/s/{session}']")).to_be_visible()

    said(door, "smith", "worse")
    expect(tool.get_by_role("textbox", name="Code")).to_contain_text("factor = 1.9")
    assert said(door, "smith", "use it")[1][0]["result"] == {"fahrenheit": 51.0}
    tool.get_by_role("link", name="Versions").click()
    changes = tool.get_by_role("group", name="Changes of code")
    expect(changes.locator("del")).to_contain_text("1.8")
    expect(changes.locator("ins")).to_contain_text("1.9")
    tool.get_by_role("button", name=re.compile("^Revert to 1 ")).click()
    expect(tool.get_by_text("Version 3 restores version 1.")).to_be_visible()
    expect(tool.get_by_role("listitem")).to_have_count(3)
    assert said(door, "smith", "use it")[1][0]["result"] == {"fahrenheit": 50.0}

    tool.get_by_role("button", name="Edit").click()
    editor = tool.get_by_role("textbox", name="Code")
    assert watched.complaints == []
    rewrite(editor, "const factor = 2\nlet broken = ;")
    tool.get_by_role("button", name="Save").click()
    expect(tool.get_by_role("alert")).to_contain_text("Line 2, column 14")
    watched.forgive("422")
    rewrite(editor, "const factor = 2\nreturn { fahrenheit: args.c * factor + 30 }")
    tool.get_by_role("button", name="Save").click()
    expect(tool.get_by_text("version 4", exact=True)).to_be_visible()
    settled(watched)
    assert said(door, "smith", "use it")[1][0]["result"] == {"fahrenheit": 50.0}

    tool.get_by_role("button", name="Disable").click()
    expect(tool.get_by_role("button", name="Enable")).to_be_visible()
    assert "warm" not in said(door, "smith", "hello")[2]
    tool.get_by_role("button", name="Enable").click()
    expect(tool.get_by_role("button", name="Disable")).to_be_visible()
    assert "warm" in said(door, "smith", "hello")[2]

    tool.get_by_role("button", name="Delete…").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(tool.get_by_text("is deleted")).to_be_visible()
    assert "warm" not in said(door, "smith", "hello")[2]
    tool.get_by_role("button", name=re.compile("^Revert to 3 ")).click()
    expect(tool.get_by_role("button", name="Disable")).to_be_visible()
    assert "warm" in said(door, "smith", "hello")[2]


def test_a_secret_is_written_and_never_shown(stack: Stack, door: Gateway, new_page: NewPage) -> None:
    door.post("/agents", {"id": "keeper", "name": "Keeper", "starters": False})
    page = new_page(stack.url).page
    opened(stack, page, "keeper", "secrets")
    page.get_by_role("button", name="Add a secret").click()
    write(page.get_by_role("textbox", name="Name"), "api_key")
    write(page.get_by_label("Value", exact=True), VALUE)
    write(page.get_by_role("textbox", name="Hosts"), "api.example.org")
    page.get_by_role("button", name="Save").click()
    listed = page.get_by_role("list", name="Secrets")
    expect(listed).to_contain_text("API_KEY")
    expect(page.get_by_role("form", name="New secret")).to_be_hidden()
    assert VALUE not in page.content()
    page.get_by_role("button", name=re.compile("^Replace.*API_KEY")).click()
    expect(page.get_by_label("Value", exact=True)).to_have_value("")
    write(page.get_by_label("Value", exact=True), f"{VALUE}-2")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("form", name="Replace API_KEY")).to_be_hidden()
    (secret,) = door.get("/agents/keeper/secrets")["items"]
    assert (secret["name"], secret["hosts"], secret["version"]) == ("API_KEY", ["api.example.org"], 2)
    assert VALUE not in page.content()
    assert VALUE not in str(secret)
    page.get_by_role("button", name=re.compile("^Delete.*API_KEY")).click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("No secrets yet")).to_be_visible()
    assert door.get("/agents/keeper/secrets")["items"] == []


def test_every_section_is_accessible_and_fits(
    stack: Stack, door: Gateway, new_page: NewPage, screenshots: Path, axe: Path
) -> None:
    agent = "maker"
    door.post("/agents", {"id": agent, "name": "Maker", "starters": False})
    said(door, agent, "everything")
    door.put(f"/agents/{agent}/notes", {"text": "Likes tea.\n"})
    door.put(
        f"/agents/{agent}/secrets/API_KEY", {"value": VALUE, "hosts": ["api.example.org", "*.example.net"]}
    )
    watched = new_page(stack.url)
    page = watched.page
    looks = Looks(page, [(PHONE, "dark"), (DESKTOP, "light")], screenshots, axe)

    def check(view: str) -> None:
        looks.check(f"studio-{view}")

    def go(rest: str) -> None:
        page.goto(f"{stack.url}/#/studio/{agent}/{rest}")

    opened(stack, page, agent)
    expect(page.get_by_role("link", name=re.compile("^warm"))).to_be_visible()
    check("tools")
    go("tools/warm")
    expect(page.get_by_role("textbox", name="Code")).to_contain_text("1.9")
    check("tool")
    go("tools/warm/versions")
    expect(page.get_by_role("group", name="Changes of code")).to_contain_text("1.8")
    check("versions")
    go("functions/half/try")
    expect(page.get_by_text("It runs for real")).to_be_visible()
    write(page.get_by_label("c", exact=True), "7")
    page.get_by_role("button", name="Run for real").click()
    expect(page.get_by_role("group", name="Result")).to_have_text("3.5")
    check("try")
    go("prompt")
    expect(page.get_by_role("textbox", name="Text")).to_be_visible()
    check("prompt")
    go("state/demo%2Fcolour")
    expect(page.get_by_role("textbox", name="Value")).to_contain_text('"red": 2')
    page.get_by_role("button", name="Edit").click()
    assert watched.complaints == []
    rewrite(page.get_by_role("textbox", name="Value"), '{"red": 3}')
    check("edit")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("version 3", exact=True)).to_be_visible()
    settled(watched)
    assert door.get(f"/agents/{agent}/state/demo%2Fcolour")["value"] == {"red": 3}
    go("secrets")
    page.get_by_role("button", name="Add a secret").click()
    check("secrets")
