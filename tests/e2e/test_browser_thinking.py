"""What a model thinks, in a real browser: folded away beside its answer, and reached by keyboard."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]
HOLD = {"kind": "hold", "after_chunks": 4}
SCRIPT: dict[str, Any] = {
    "rules": [
        {
            "when": {"user_contains": "capital"},
            "reply": {
                "text": "<think>\nIs it Lyon? **No.** It is not.</think>\n\nParis.",
                "pace": {"chunks": 8},
                "fault": HOLD,
            },
        },
        {"when": {}, "reply": {"text": "Noted."}},
    ]
}


def test_thinking_is_folded_away_and_shown_by_keyboard(
    new_page: NewPage, stack: Stack, model: ModelServer, door: Gateway, screenshots: Path
) -> None:
    watched = new_page(stack.url, width=390)
    page = watched.page
    chat = ChatPage(page, screenshots)
    chat.open(stack.link)
    chat.composer.focus()
    page.keyboard.type("What is the capital?")
    page.keyboard.press("Enter")
    thinks = page.get_by_role("button", name="Thinking", exact=True)
    expect(thinks).to_be_visible()
    model.release()
    thought = page.get_by_role("button", name="Thought for a moment")
    expect(chat.answers.last).to_contain_text("Paris.")
    expect(thought).to_have_attribute("aria-expanded", "false")
    expect(page.locator("main")).not_to_contain_text("Lyon")
    chat.settled()
    for _ in range(40):
        page.keyboard.press("Shift+Tab")
        if thought.evaluate("one => one === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(thought).to_have_attribute("aria-expanded", "true")
    shown = page.get_by_role("region", name="What the model thought")
    expect(shown).to_contain_text("Is it Lyon? **No.** It is not.")
    box = shown.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 390
    chat.shot("thought")
    page.reload()
    expect(chat.answers.last.get_by_role("paragraph")).to_have_text("Paris.")
    expect(thought).to_be_visible()
    said = messages(door, chat.session_id)[-1]
    assert (said["text"], said["thinking"]["text"]) == ("Paris.", "Is it Lyon? **No.** It is not.")
    assert watched.complaints == []
