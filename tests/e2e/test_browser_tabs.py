"""Tabs: those of the studio, which are addresses, and those of the browser, which share a connection."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.stack import Stack

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]
PARTS = {"description": "One.", "code": "return 1"}
EIGHT = 8
"""Browsers allow six connections to a server."""


def test_every_tab_of_a_tool_opens_by_click_by_keyboard_and_by_address(
    stack: Stack, door: Gateway, new_page: NewPage
) -> None:
    door.post("/agents", {"id": "tabs", "name": "Tabs", "starters": False})
    door.put("/agents/tabs/tools/one", PARTS | {"parameter_schema": {"type": "object"}})
    door.put("/agents/tabs/components/Hello", PARTS | {"code": "export default () => <b>Hello</b>"})
    page = new_page(stack.url).page
    page.goto(stack.link)
    for thing in ("tools/one", "components/Hello"):
        page.goto(f"{stack.url}/#/studio/tabs/{thing}")
        tabs = page.get_by_role("navigation", name=re.compile("^Views of")).get_by_role("link")
        expect(tabs.filter(has_text="Versions")).to_be_visible()
        for at in range(tabs.count()):
            tab = tabs.nth(at)
            tab.click()
            expect(tab).to_have_attribute("aria-current", "page")
            address = page.url
            page.reload()
            expect(tab).to_have_attribute("aria-current", "page")
            assert page.url == address
            tabs.nth(at - 1).click()
            expect(tabs.nth(at - 1)).to_have_attribute("aria-current", "page")
            tab.focus()
            page.keyboard.press("Enter")
            expect(tab).to_have_attribute("aria-current", "page")
            expect(page.get_by_role("article")).to_be_visible()


def test_eight_tabs_share_one_connection_and_go_on_when_the_one_that_leads_is_closed(
    stack: Stack, door: Gateway, new_page: NewPage, screenshots: Path
) -> None:
    watched = new_page(stack.url)
    streams: dict[Page, list[str]] = {}

    def watch(page: Page) -> Page:
        asked = streams.setdefault(page, [])
        page.on("request", lambda one: asked.append(one.url) if "/api/v1/events" in one.url else None)
        return page

    pages = [watch(watched.page), *(watch(watched.another()) for _ in range(EIGHT - 1))]
    session = str(door.post("/sessions", {"message": "hello"})["id"])
    pages[0].goto(stack.link)
    for page in pages:
        page.goto(f"{stack.url}/#/s/{session}")
        expect(ChatPage(page, screenshots).answers).to_have_count(1)

    def said_to_all(text: str, count: int) -> None:
        """Say it in the last tab: each tab shows it and its answer once."""
        ChatPage(pages[-1], screenshots).say(text)
        for page in pages:
            chat = ChatPage(page, screenshots)
            expect(chat.answers).to_have_count(count)
            expect(chat.answers.last).to_contain_text(f"You said: {text}")
            expect(chat.said).to_have_count(count)

    said_to_all("to all eight", 2)
    (leader,) = [page for page, asked in streams.items() if asked]
    leader.close()
    pages.remove(leader)
    said_to_all("to the seven that are left", 3)
    leads = [page for page in pages if streams[page]]
    assert len(leads) == 1
    first = streams[leads[0]][0]
    assert re.search(r"[?&]after=\d+", first), "the next leader goes on where the tabs are"


def test_eight_tabs_share_one_connection_where_there_are_no_locks(
    stack: Stack, door: Gateway, new_page: NewPage, screenshots: Path
) -> None:
    """As over plain HTTP in one's own network: there a shared worker has the connection."""
    watched = new_page(stack.url)
    pages = [watched.page, *(watched.another() for _ in range(EIGHT - 1))]
    own: list[str] = []
    session = str(door.post("/sessions", {"message": "hello"})["id"])
    for page in pages:
        page.add_init_script("delete Navigator.prototype.locks")
        page.on("request", lambda one: own.append(one.url) if "/api/v1/events" in one.url else None)
        page.goto(stack.link if page is pages[0] else f"{stack.url}/#/s/{session}")
        page.goto(f"{stack.url}/#/s/{session}")
    pages[0].close()
    ChatPage(pages[-1], screenshots).say("to all that are left")
    for page in pages[1:]:
        expect(ChatPage(page, screenshots).answers).to_have_count(2)
    assert own == []


def test_an_enter_that_ends_a_composition_sends_edits_and_renames_nothing(
    stack: Stack, door: Gateway, new_page: NewPage, screenshots: Path
) -> None:
    session = str(door.post("/sessions", {"title": "Before", "message": "hello"})["id"])
    page = new_page(stack.url).page
    chat = ChatPage(page, screenshots)
    page.goto(stack.link)
    page.goto(f"{stack.url}/#/s/{session}")
    expect(chat.answers).to_have_count(1)
    devtools = page.context.new_cdp_session(page)
    sent: list[str] = []
    page.on("request", lambda one: sent.append(one.url) if one.method in {"POST", "PATCH", "PUT"} else None)

    def compose(text: str) -> None:
        """As an input method does: compose, choose by Enter, and end by an Enter that Safari tells last."""
        enter = {"type": "rawKeyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229}
        devtools.send(
            "Input.imeSetComposition", {"text": text, "selectionStart": 0, "selectionEnd": len(text)}
        )
        devtools.send("Input.dispatchKeyEvent", enter)
        devtools.send("Input.insertText", {"text": text})
        devtools.send("Input.dispatchKeyEvent", enter)

    chat.composer.click()
    compose("にほん")
    expect(chat.composer).to_have_value(re.compile("^にほん"))
    chat.said.get_by_role("button", name="Edit", exact=True).click()
    editing = page.get_by_role("textbox", name="Your message")
    expect(editing).to_be_focused()
    compose("ご")
    expect(editing).to_have_value(re.compile("ご"))
    page.keyboard.press("Escape")
    page.get_by_role("button", name=re.compile("^Before")).first.click()
    title = page.get_by_role("textbox", name=re.compile("[Tt]itle"))
    expect(title).to_be_focused()
    compose("名")
    expect(title).to_be_focused()
    expect(chat.said).to_have_count(1)
    assert [url for url in sent if "looking" not in url] == []
    assert door.get(f"/sessions/{session}")["title"] == "Before", json.dumps(sent)
