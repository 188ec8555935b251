"""Every flow without a mouse: each place is reached by Tab, and what closes gives the focus back."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage, accessibility_faults
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.stack import Stack

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]
MOST_STEPS = 150
FORM: dict[str, Any] = {
    "type": "form",
    "submitLabel": "Book",
    "fields": [
        {"name": "who", "label": "Who travels", "type": "text", "required": True},
        {"name": "room", "label": "Room", "type": "select", "options": ["single", "double"]},
        {"name": "agree", "label": "I agree to the terms", "type": "checkbox", "required": True},
    ],
}
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "a form"},
            "turns": [
                {"tool_calls": [{"name": "render_blocks", "arguments": {"blocks": [FORM], "title": "Book"}}]},
                {"text": "It is booked."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


def reach(page: Page, wanted: Locator, key: str = "Tab") -> None:
    """Press Tab (or another key) until it has the focus."""
    expect(wanted).to_be_attached()
    passed = []
    for _ in range(MOST_STEPS):
        if wanted.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press(key)
        passed.append(page.evaluate("document.activeElement.getAttribute('aria-label')"))
    raise AssertionError(f"{wanted} is not reached: {passed}")


def test_every_flow_goes_by_the_keyboard_alone(
    stack: Stack, door: Gateway, new_page: NewPage, screenshots: Path, axe: Path
) -> None:
    page = new_page(stack.url, width=1440).page
    chat, press = ChatPage(page, screenshots), page.keyboard.press
    button, dialog = page.get_by_role, page.get_by_role("dialog")
    chat.open(stack.link)
    expect(chat.composer).to_be_focused()

    def opened(words: str) -> Locator:
        """The menu's entry, once it was chosen by the keys that menus are gone through with."""
        entry = page.locator(".dropdown-menu.show").get_by_text(words)
        expect(entry).to_be_visible()
        for _ in range(20):
            press("ArrowDown")
            if page.evaluate("words => document.activeElement.innerText.includes(words)", words):
                press("Enter")
                return entry
        raise AssertionError(f"{words} is not reached")

    # Say something, and look at it: the answer's own menu, with the rewind's dialog.
    page.keyboard.type("hello")
    press("Enter")
    expect(chat.answers).to_have_text(re.compile("You said: hello"))
    chat.settled()
    expect(chat.composer).to_be_focused()
    more = chat.said.get_by_role("button", name=re.compile("^More about"))
    reach(page, more, "Shift+Tab")
    for words in ("Rewind to before this…", "Fork from before this…"):
        press("Enter")
        opened(words)
        expect(dialog).to_be_visible()
        assert dialog.evaluate("one => one.contains(document.activeElement)")
        assert accessibility_faults(page, axe) == []
        press("Escape")
        expect(dialog).to_have_count(0)
        expect(more).to_be_focused()

    # Edit, and leave it again; then say it otherwise.
    edit = chat.said.get_by_role("button", name="Edit", exact=True)
    reach(page, edit, "Shift+Tab")
    press("Enter")
    editing = page.get_by_role("textbox", name="Your message")
    expect(editing).to_be_focused()
    press("Escape")
    expect(edit).to_be_focused()
    press("Enter")
    expect(editing).to_be_focused()
    page.keyboard.type(" again")
    press("Enter")
    expect(chat.answers).to_have_text(re.compile("You said: hello again"))
    chat.settled()

    # Files: the menu opens, and closes where it was opened.
    attach = button("button", name="Attach")
    reach(page, attach, "Shift+Tab")
    press("Enter")
    expect(page.locator(".dropdown-menu.show")).to_contain_text("A folder…")
    press("Escape")
    expect(attach).to_be_focused()

    # A form among blocks.
    reach(page, chat.composer)
    page.keyboard.type("a form")
    press("Enter")
    who = page.get_by_role("textbox", name=re.compile("Who travels"))
    expect(who).to_be_visible()
    reach(page, who, "Shift+Tab")
    page.keyboard.type("Ada")
    reach(page, page.get_by_role("combobox", name=re.compile("Room")))
    press("ArrowDown")
    reach(page, page.get_by_role("checkbox", name=re.compile("I agree")))
    press("Space")
    reach(page, button("button", name="Book", exact=True))
    assert accessibility_faults(page, axe) == []
    press("Enter")
    expect(chat.answers.last).to_contain_text("It is booked.")
    chat.settled()
    expect(chat.composer).to_be_focused()

    # The chat's menu, the list's search, the palette.
    menu = button("button", name="More about this chat")
    reach(page, menu, "Shift+Tab")
    press("Enter")
    opened("Archive")
    expect(dialog).to_be_visible()
    press("Escape")
    expect(dialog).to_have_count(0)
    expect(menu).to_be_focused()
    search = page.get_by_role("searchbox", name="Search chats")
    reach(page, search, "Shift+Tab")
    page.keyboard.type("hello again")
    found = page.get_by_role("navigation", name="Chats").get_by_role("link", name=re.compile("hello"))
    expect(found.first).to_be_visible()
    press("Control+k")
    palette = page.get_by_role("combobox", name="Command palette")
    expect(palette).to_be_focused()
    press("Escape")
    expect(palette).to_have_count(0)
    expect(search).to_be_focused()

    # History: the scrubber, a row, its moment, the dialogs that go back.
    history = page.get_by_role("link", name="History", exact=True)
    reach(page, history)
    press("Enter")
    slider = page.get_by_role("slider", name="The moment shown")
    expect(slider).not_to_have_attribute("aria-valuemax", "0")
    reach(page, slider)
    press("ArrowLeft")
    press("PageDown")
    expect(slider).not_to_have_attribute("aria-valuetext", "Now")
    expect(slider).to_be_focused()
    rows = page.get_by_role("group", name="What happened, newest first")
    reach(page, rows.get_by_role("link").first)
    press("ArrowDown")
    press("Enter")
    expect(page.get_by_role("region", name="The chosen event")).to_be_visible()
    for words in ("Rewind the agent…", "Rewind to here…"):
        goes = page.get_by_role("button", name=words)
        reach(page, goes)
        press("Enter")
        expect(dialog).to_be_visible()
        assert dialog.evaluate("one => one.contains(document.activeElement)")
        press("Escape")
        expect(dialog).to_have_count(0)
        expect(goes).to_be_focused()
    chosen = page.get_by_role("tab", selected=True)
    reach(page, chosen)
    press("ArrowDown")
    expect(page.get_by_role("tab", selected=True)).to_be_focused()
    assert accessibility_faults(page, axe) == []

    # Which event broke it: the form, up to what it would cost.
    page.goto(f"{stack.url}/#/past/default")
    ask = page.get_by_role("textbox", name="Message to send")
    reach(page, ask)
    page.keyboard.type("hello")
    reach(page, page.get_by_role("textbox", name="The answer contains"))
    page.keyboard.type("You said")
    press("Enter")
    expect(page.get_by_role("form", name=re.compile("^Search"))).to_contain_text(re.compile("probe|ask"))
    assert accessibility_faults(page, axe) == []
