"""What people do with chats every day: say it otherwise, ask again, look at what was drawn."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from foldline.cli.client import Gateway
from foldline.testing.browser import WatchedPage
from foldline.testing.chat_page import ChatPage
from foldline.testing.reading import messages
from foldline.testing.stack import Stack

pytestmark = pytest.mark.browser


NewPage = Callable[..., WatchedPage]

HOSTILE = (
    "A picture: ![secret](https://127.0.0.1:9/leak.png)\n\n| Tea | Degrees |\n|---|---|\n| Sencha | 75 |\n\n"
    "It is $E = mc^2$, and costs $5 or $10.\n\n```mermaid\ngraph LR\n"
    '  A["<img src=https://127.0.0.1:9/x.png onerror=alert(1)>"] --> B\n'
    '  click A "javascript:alert(1)"\n```\n'
)
SCRIPT = {
    "rules": [
        {"when": {"user_contains": "everything"}, "reply": {"text": HOSTILE}},
        {"when": {"user_contains": "coffee"}, "reply": {"text": "Coffee it is."}},
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


@pytest.fixture
def watched(stack: Stack, new_page: NewPage) -> WatchedPage:
    return new_page(stack.url)


@pytest.fixture
def chat(stack: Stack, watched: WatchedPage, screenshots: Path) -> ChatPage:
    page = ChatPage(watched.page, screenshots)
    page.open(stack.link)
    return page


def test_a_message_said_otherwise_and_an_answer_asked_again_are_variants(
    chat: ChatPage, door: Gateway
) -> None:
    page = chat.page
    chat.say("I like tea")
    expect(chat.answers).to_have_text(re.compile("You said: I like tea"))
    chat.settled()
    first = chat.session_id
    chat.said.first.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("textbox", name="Your message").fill("I like coffee")
    page.get_by_role("textbox", name="Your message").press("Enter")
    expect(chat.answers).to_have_text(re.compile("Coffee it is."))
    expect(page.get_by_role("group", name="Variant 2 of 2")).to_be_visible()
    second = chat.session_id
    assert second != first
    assert [one["text"] for one in messages(door, first)] == ["I like tea", "You said: I like tea"]
    chat.shot("variants")
    page.get_by_role("button", name="The variant before").click()
    expect(chat.answers).to_have_text(re.compile("You said: I like tea"))
    assert chat.session_id == first
    page.get_by_role("button", name="The next variant").click()
    expect(chat.answers).to_have_text(re.compile("Coffee it is."))
    assert chat.session_id == second

    chat.settled()
    chat.answers.first.get_by_role("button", name="Answer again", exact=True).click()
    expect(page.get_by_role("group", name="Variant 2 of 2").nth(1)).to_be_visible()
    expect(chat.said).to_have_count(1)
    expect(chat.answers).to_have_text(re.compile("Coffee it is."))
    assert chat.session_id not in (first, second)


def test_what_an_answer_shows_is_drawn_and_asks_nobody(chat: ChatPage, watched: WatchedPage) -> None:
    page = chat.page
    chat.say("show me everything")
    answer = chat.answers.last
    expect(answer.locator(".katex")).to_have_count(1)
    expect(answer).to_contain_text("costs $5 or $10")
    expect(answer.locator(".diagram img")).to_be_visible()
    expect(answer.locator("svg [onerror], script")).to_have_count(0)
    expect(answer.get_by_role("button", name="Load", exact=True)).to_be_visible()
    page.wait_for_timeout(300)
    # A handler in the diagram was refused; nothing was asked of another address.
    watched.forgive("inline event handler")
    assert watched.complaints == []
    answer.get_by_role("button", name="Load", exact=True).click()
    expect(answer.get_by_role("alert")).to_contain_text("It was not loaded")
    chat.shot("drawn")
    page.set_viewport_size({"width": 390, "height": 800})
    chat.shot("drawn-390")
    watched.forgive("422")
    watched.forgive("status of 4")
