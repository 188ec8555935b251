"""Going back in the browser: what goes is seen first, is gone then, and comes back when that is undone."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]


def calls(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": tool, "arguments": arguments}]}


SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "be brief"},
            "turns": [
                calls("edit_system_prompt", operation="append", content="\nBe brief."),
                {"text": "I shall be brief."},
            ],
        },
        {
            "when": {"user_contains": "[helper]"},
            "turns": [calls("report_result", result="found tea")],
        },
        {
            "when": {"user_contains": "with a helper"},
            "turns": [
                calls("spawn_session", task="[helper] tea"),
                calls("wait_for_sessions", ids="{{ results | map(attribute='id') | list }}"),
                {"text": "The helper is back."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


@pytest.fixture
def chat(stack: Stack, new_page: NewPage, screenshots: Path) -> ChatPage:
    page = ChatPage(new_page(stack.url).page, screenshots)
    page.open(stack.link)
    return page


def answered(chat: ChatPage, text: str, answer: str) -> None:
    """Say something and wait for the end of the turn."""
    chat.say(text)
    expect(chat.answers.last).to_contain_text(answer)
    chat.settled()


def choose(chat: ChatPage, message: str, action: str) -> None:
    """Choose an action of a message, named by a text in it."""
    chat.page.get_by_role("article").filter(has_text=message).last.get_by_role(
        "button", name=re.compile("^More about")
    ).click()
    chat.page.get_by_role("button", name=action).click()


def prompt(door: Gateway) -> str:
    """The agent's system prompt."""
    return str(door.get("/agents/default/prompt")["text"])


def test_what_is_rewound_is_gone_and_comes_back(chat: ChatPage, door: Gateway) -> None:
    answered(chat, "hello", "You said: hello")
    before = prompt(door)
    answered(chat, "from now on be brief", "I shall be brief.")
    after = prompt(door)
    assert after == f"{before}\nBe brief."

    choose(chat, "from now on be brief", "Rewind to before this…")
    dialog = chat.page.get_by_role("dialog")
    expect(dialog.get_by_role("list", name="Goes")).to_contain_text("from now on be brief")
    dialog.get_by_text("System prompt").click()
    expect(dialog.get_by_role("group", name="Change of System prompt")).to_contain_text("- Be brief.")
    chat.shot("rewind-preview")
    dialog.get_by_role("button", name="Rewind", exact=True).click()
    expect(dialog).to_be_hidden()
    back = chat.page.get_by_role("region", name="Rewound")
    expect(back).to_be_visible()
    expect(chat.said).to_have_count(1)
    assert prompt(door) == before

    back.get_by_role("button", name=re.compile("^Show")).click()
    expect(back).to_contain_text("from now on be brief")
    chat.shot("rolled-back")
    back.get_by_role("button", name="Undo…").click()
    expect(dialog.get_by_role("list", name="Comes back")).to_contain_text("from now on be brief")
    dialog.get_by_role("button", name="Undo the rewind").click()
    expect(back).to_be_hidden()
    expect(chat.said).to_have_count(2)
    expect(chat.answers.last).to_contain_text("I shall be brief.")
    assert prompt(door) == after
    answered(chat, "still there?", "You said: still there?")


def test_a_fork_from_a_message_goes_another_way(chat: ChatPage) -> None:
    answered(chat, "hello", "You said: hello")
    answered(chat, "tea", "You said: tea")
    origin = chat.session_id
    choose(chat, "tea", "Fork from here…")
    chat.page.get_by_role("button", name="Cancel").click()
    chat.said.filter(has_text="tea").get_by_role("button", name=re.compile("^More about")).click()
    chat.page.get_by_role("button", name="Fork from before this…").click()
    write(chat.page.get_by_role("textbox", name="Say first"), "coffee")
    chat.shot("fork")
    chat.page.get_by_role("button", name="Fork", exact=True).click()
    expect(chat.answers.last).to_contain_text("You said: coffee")
    chat.settled()
    assert chat.session_id != origin
    expect(chat.said).to_have_count(2)
    expect(chat.page.get_by_text("Forked from")).to_be_visible()
    chat.shot("forked")
    chat.page.get_by_role("navigation", name="About this chat").get_by_role("link").click()
    expect(chat.said.last).to_contain_text("tea")
