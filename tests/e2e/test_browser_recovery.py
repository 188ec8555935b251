"""A service is killed, or hangs, under open pages: they recover by themselves, with the chat whole."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

from agent_contracts import service_names
from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chaos.stage import Stage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack

pytestmark = [pytest.mark.faults, pytest.mark.browser]

NewPage = Callable[..., WatchedPage]

ANSWER = "one two three four five six seven eight nine ten eleven twelve"
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "count"},
            "reply": {"text": ANSWER, "pace": {"chunks": 8}, "fault": {"kind": "hold", "after_chunks": 4}},
        },
        {
            "when": {"user_contains": "ask"},
            "turns": [
                {
                    "tool_calls": [
                        {"name": "ask_user", "arguments": {"question": "Which?", "options": ["A", "B"]}}
                    ]
                },
                {"text": "You chose {{ result.ask_user.answer }}."},
            ],
        },
        {"reply": {"text": "Hello."}},
    ]
}


@pytest.fixture(scope="module")
def model(processes: Stage) -> ModelServer:
    processes.model.play(SCRIPT)
    return processes.model


@pytest.fixture(scope="module")
def stack(processes: Stage, model: ModelServer) -> Stack:
    return processes.stack


@pytest.fixture
def watched(stack: Stack, new_page: NewPage) -> Iterator[WatchedPage]:
    page = new_page(stack.url)
    yield page
    for broken in (
        "ERR_CONNECTION_REFUSED",
        "ERR_INCOMPLETE_CHUNKED_ENCODING",
        "ERR_CONNECTION_RESET",
        "ERR_EMPTY_RESPONSE",
        "ERR_CONTENT_LENGTH_MISMATCH",
        "ERR_SOCKET_NOT_CONNECTED",
        "503",
    ):
        page.forgive(broken)


@pytest.fixture
def chat(stack: Stack, watched: WatchedPage, screenshots: Path) -> ChatPage:
    """A chat with one answer."""
    page = ChatPage(watched.page, screenshots)
    page.open(stack.link)
    page.say("hello")
    expect(page.answers).to_have_count(1)
    page.settled()
    return page


def kill_gateway(stack: Stack, chat: ChatPage) -> None:
    """Kill it; return when the page has seen that, and the new one is ready."""
    assert stack.kill(service_names.GATEWAY)
    expect(chat.page.get_by_text("Reconnecting…")).to_be_visible()
    stack.wait_until_ready()


@contextmanager
def no_projector(stack: Stack) -> Iterator[None]:
    """While it hangs."""
    pids = stack.pids(service_names.PROJECTOR)
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def live(chat: ChatPage) -> None:
    expect(chat.page.get_by_role("status", name=re.compile("Live updates: Live"))).to_be_attached()


def joined(door: Gateway, session_id: str) -> list[str]:
    return [message["text"] for message in messages(door, session_id)]


def test_killed_in_mid_answer_the_page_shows_the_whole_answer_once(
    stack: Stack, chat: ChatPage, model: ModelServer
) -> None:
    chat.say("count")
    expect(chat.live).to_contain_text("three")
    assert stack.kill(service_names.GATEWAY)
    expect(chat.page.get_by_text("Reconnecting…")).to_be_visible()
    chat.shot("gateway-gone")
    model.release()
    stack.wait_until_ready()
    expect(chat.answers.last).to_contain_text(ANSWER)
    chat.settled()
    live(chat)
    with stack.gateway() as door:
        assert joined(door, chat.session_id) == ["hello", "Hello.", "count", ANSWER]
    before = chat.transcript()
    chat.page.reload()
    expect(chat.answers).to_have_count(2)
    chat.shows(before)


def test_killed_while_the_agent_waits_the_question_can_still_be_answered(
    stack: Stack, chat: ChatPage
) -> None:
    chat.say("ask")
    expect(chat.page.get_by_role("button", name="B", exact=True)).to_be_enabled()
    kill_gateway(stack, chat)
    chat.page.get_by_role("button", name="B", exact=True).click()
    expect(chat.answers.last).to_contain_text("You chose B.")
    chat.settled()


def test_what_is_said_while_the_gateway_is_away_arrives_once(stack: Stack, chat: ChatPage) -> None:
    assert stack.kill(service_names.GATEWAY)
    chat.say("are you there?")
    chat.shot("said-while-away")
    stack.wait_until_ready()
    expect(chat.answers).to_have_count(2)
    chat.settled()
    expect(chat.said).to_have_count(2)
    with stack.gateway() as door:
        assert joined(door, chat.session_id) == ["hello", "Hello.", "are you there?", "Hello."]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_new_chat_opens_at_once_while_the_projector_hangs(
    stack: Stack, watched: WatchedPage, model: ModelServer, screenshots: Path, width: int
) -> None:
    watched.page.set_viewport_size({"width": width, "height": 800})
    chat = ChatPage(watched.page, screenshots)
    chat.open(stack.link)
    with no_projector(stack):
        chat.say("count")
        expect(chat.live).to_contain_text("three", timeout=5_000)
        chat.shot(f"no-projector-streams-{width}")
        model.release()
        expect(chat.answers.last).to_contain_text(ANSWER)
        chat.settled()
        chat.say("hello")
        expect(chat.answers).to_have_count(2)
        chat.settled()
        before = chat.transcript()
        chat.page.reload()
        chat.shows(before)
        chat.say("ask")
        chat.page.get_by_role("button", name="B", exact=True).click()
        expect(chat.answers.last).to_contain_text("You chose B.")
        chat.settled()
        chat.shot(f"no-projector-{width}")
        whole = chat.transcript()
    chat.page.reload()
    chat.shows(whole)


def test_a_chat_is_opened_and_gone_on_with_while_the_projector_hangs(stack: Stack, chat: ChatPage) -> None:
    session = chat.session_id
    chat.page.keyboard.press("Control+Shift+O")
    with no_projector(stack):
        chat.open(f"{stack.url}/#/s/{session}")
        expect(chat.answers).to_have_count(1)
        chat.say("are you there?")
        expect(chat.answers).to_have_count(2)
        chat.settled()
