"""Tools by demand in the browser: a call is shown as that of the real tool; a person pins tools."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]


def _call(tool: str, /, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": tool, "arguments": arguments}]}


SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "which tables"},
            "turns": [
                _call("find_tools", query="tables of the database"),
                _call("call_tool", name="db_schema", arguments={}),
                {"text": "None."},
            ],
        },
        {"reply": {"text": "Hello."}},
    ]
}


def test_a_tool_that_was_found_is_shown_under_its_own_name(
    stack: Stack, new_page: NewPage, screenshots: Path
) -> None:
    chat = ChatPage(new_page(stack.url).page, screenshots)
    chat.open(stack.link)
    chat.say("which tables are there?")
    expect(chat.page.get_by_text("None.", exact=True)).to_be_visible()
    expect(chat.cards).to_have_count(2)
    expect(chat.cards.nth(0)).to_contain_text("Looked for tools")
    expect(chat.cards.nth(1)).to_contain_text("Looked at the database")
    expect(chat.page.locator("body")).not_to_contain_text("call_tool")
    chat.page.reload()
    expect(chat.cards.nth(1)).to_contain_text("Looked at the database")
    expect(chat.page.locator("body")).not_to_contain_text("call_tool")


def test_a_person_pins_tools_and_sees_it_at_once(
    stack: Stack, door: Gateway, model: ModelServer, new_page: NewPage, screenshots: Path
) -> None:
    door.post("/agents", {"id": "pinner", "name": "Pinner"})
    watched = new_page(stack.url)
    page = watched.page
    page.goto(stack.link)
    page.goto(f"{stack.url}/#/studio/pinner/tools")
    pin = page.get_by_role("button", name="Pin todo", exact=True)
    expect(pin).to_have_attribute("aria-pressed", "false")
    pin.click()
    expect(pin).to_have_attribute("aria-pressed", "true")
    pins = page.get_by_role("region", name="Pinned tools")
    write(pins.get_by_label("Built-in tool to pin"), "db_shema")
    pins.get_by_role("button", name="Pin", exact=True).click()
    expect(pins.get_by_role("alert")).to_contain_text("did you mean db_schema?")
    watched.forgive("404")
    write(pins.get_by_label("Built-in tool to pin"), "db_schema")
    pins.get_by_role("button", name="Pin", exact=True).click()
    expect(pins.get_by_role("listitem")).to_contain_text("db_schema")
    assert door.get("/agents/pinner/pinned-tools")["names"] == ["db_schema", "todo"]
    page.screenshot(path=screenshots / "pinned-tools.png")

    door.put("/agents/pinner/pinned-tools", {"names": []})
    expect(pin).to_have_attribute("aria-pressed", "false")
    expect(pins.get_by_role("listitem")).to_have_count(0)
