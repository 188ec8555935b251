"""Dark, narrow, by keyboard, by screen reader: every main view, with screenshots to look at."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.looks import DESKTOP, PHONE, Looks
from foldline_testing.product.stack import Stack

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]


def test_every_view_is_accessible_and_fits(
    demo: Stack, new_page: NewPage, screenshots: Path, axe: Path
) -> None:
    chat = ChatPage(new_page(demo.url).page, screenshots)
    looks = Looks(chat.page, [(PHONE, "light"), (DESKTOP, "dark")], screenshots, axe)
    chat.open(demo.link)
    looks.check("new-chat")
    chat.say("show progress")
    expect(chat.answers.last).to_contain_text("Done: 9 tool calls")
    chat.settled()
    for card in (chat.cards.nth(1), chat.cards.first):
        card.get_by_role("button").first.click()
    chat.cards.first.scroll_into_view_if_needed()
    looks.check("cards")
    chat.say("ask me something")
    expect(chat.page.get_by_role("button", name="A typo", exact=True)).to_be_enabled()
    looks.check("question")
    looks.take(PHONE, "light")
    chat.page.get_by_role("button", name="Open the chats").click()
    expect(chat.page.get_by_role("dialog")).to_be_visible()
    expect(chat.page.get_by_role("link", name="New chat")).to_be_in_viewport(ratio=1)
    Looks(chat.page, [(PHONE, "light")], screenshots, axe).check("drawer")
    looks.take(PHONE, "light")
    chat.page.get_by_role("dialog").get_by_role("link", name="Notifications").click()
    expect(chat.page.get_by_role("dialog")).to_be_hidden()
    expect(chat.page.get_by_role("heading", name="Notifications", exact=True)).to_be_visible()


def test_what_goes_back_is_accessible_and_fits(
    demo: Stack, new_page: NewPage, screenshots: Path, axe: Path
) -> None:
    chat = ChatPage(new_page(demo.url).page, screenshots)
    page = chat.page
    check = Looks(page, [(PHONE, "dark"), (DESKTOP, "light")], screenshots, axe).check
    chat.open(demo.link)
    chat.say("research green tea with two helpers")
    expect(chat.answers.last).to_contain_text("Both are back")
    chat.settled()
    around = page.get_by_role("navigation", name="About this chat")
    expect(around).to_contain_text(re.compile("2 sub-sessions.*tokens with them"))
    check("helpers")
    chat.say("rewind")
    expect(chat.answers.last).to_contain_text("red")
    chat.settled()
    chat.said.last.get_by_role("button", name="More about your message").click()
    expect(page.get_by_role("button", name="Rewind to before this…")).to_be_visible()
    check("message-menu")
    page.get_by_role("button", name="Rewind to before this…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Stored value demo/colour").click()
    check("rewind-dialog")
    dialog.get_by_role("button", name="Rewind", exact=True).click()
    page.get_by_role("region", name="Rewound").get_by_role("button", name="Show").click()
    check("rolled-back")
    page.get_by_role("link", name="History", exact=True).click()


def test_a_whole_conversation_by_keyboard(demo: Stack, new_page: NewPage, screenshots: Path) -> None:
    chat = ChatPage(new_page(demo.url).page, screenshots)
    chat.open(demo.link)
    keys = chat.page.keyboard

    def tab_to(role: str, name: str) -> None:
        target = chat.page.get_by_role(role, name=name, exact=True)  # type: ignore[arg-type]
        for _ in range(40):
            if target.evaluate("element => element === document.activeElement"):
                return
            keys.press("Tab")
        raise AssertionError(f"Tab never reaches {name!r}")

    keys.type("ask me something")
    keys.press("Enter")
    expect(chat.page.get_by_role("button", name="A Monday", exact=True)).to_be_enabled()
    tab_to("button", "A Monday")
    chat.shot("keyboard-focus")
    keys.press("Enter")
    expect(chat.answers.last).to_contain_text("Your answer was A Monday.")
    chat.settled()

    expect(chat.composer).to_be_focused()
    keys.type("first line")
    keys.press("Shift+Enter")
    keys.type("second line")
    keys.press("Enter")
    expect(chat.said.last).to_contain_text("first line\nsecond line", use_inner_text=True)
    chat.settled()

    keys.press("Tab")
    tab_to("button", "More about this chat")
    keys.press("Enter")
    expect(chat.page.get_by_role("link", name="Raw events")).to_be_visible()
    keys.press("Escape")
    expect(chat.page.get_by_role("link", name="Raw events")).to_be_hidden()

    tab_to("link", "New chat")
    keys.press("Enter")
    expect(chat.page.get_by_role("heading", name="Foldline", exact=True)).to_be_visible()


def test_the_chosen_colours_stay(demo: Stack, new_page: NewPage, screenshots: Path) -> None:
    chat = ChatPage(new_page(demo.url, scheme="light").page, screenshots)
    chat.open(demo.link)
    chat.page.get_by_role("button", name="Colour mode").click()
    chat.page.get_by_role("button", name="Dark", exact=True).click()
    expect(chat.page.locator("html")).to_have_attribute("data-bs-theme", "dark")
    chat.page.reload()
    expect(chat.page.locator("html")).to_have_attribute("data-bs-theme", "dark")
