"""The chat in a real browser: whatever happens to the page, what it shows is what the log holds."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.sync_api import Browser, expect

from demo_model.loading import DEMO_SCRIPT
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import listed, messages
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write
from foldline_testing.session_domain.shown import without_times

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]

COUNTING = "one two three four five six seven eight nine ten eleven twelve"


def held(word: str) -> dict[str, Any]:
    """A rule whose answer stops in the middle until the model is told to go on."""
    fault = {"kind": "hold", "after_chunks": 4}
    return {
        "when": {"user_contains": word},
        "reply": {"text": COUNTING, "pace": {"chunks": 8}, "fault": fault},
    }


_DEMO = yaml.safe_load(DEMO_SCRIPT.read_text(encoding="utf-8"))
_REFUSAL = {"kind": "bad_request", "status": 401, "message": "Incorrect API key provided.", "times": 1}
_MINE = [
    held("count slowly"),
    {
        "when": {"user_contains": "fall down"},
        "reply": {"text": "On my feet again.", "fault": {"kind": "server_error", "times": 2}},
    },
    {"when": {"user_contains": "wrong key"}, "reply": {"text": "Now it is right.", "fault": _REFUSAL}},
]
SCRIPT = {**_DEMO, "pace": {"chunks": 3}, "rules": [*_MINE, *_DEMO["rules"]]}
"""The demo's in few pieces, each of which the browser shows, preceded by what these tests need."""


@pytest.fixture(scope="module")
def profile(browser: Browser, stack: Stack) -> Iterator[WatchedPage]:
    """A browser profile for all tests: what a page loads it has already."""
    opened = WatchedPage(browser, stack.url)
    yield opened
    opened.close()


@pytest.fixture
def chat(stack: Stack, profile: WatchedPage, screenshots: Path) -> Iterator[ChatPage]:
    """A new chat, signed in, whose page may not complain."""
    page = ChatPage(profile.page, screenshots)
    page.open(stack.link)
    yield page
    complaints, profile.complaints = profile.complaints, []
    assert complaints == []


@pytest.fixture
def talking(chat: ChatPage, stack: Stack, door: Gateway) -> ChatPage:
    """A chat with one answer, so that the page follows the session and sees the next one from its start."""
    turn = ChatTurn(door, None)
    turn.say("thanks")
    for _ in turn.pieces():
        pass
    chat.open(f"{stack.url}/#/s/{turn.session_id}")
    expect(chat.answers).to_have_count(1)
    expect(chat.page.get_by_text("Live", exact=True)).to_be_attached()
    return chat


def counting(chat: ChatPage, text: str) -> None:
    """Have an answer stop in the middle."""
    chat.say(text)
    expect(chat.live).to_contain_text("three")


def recorded(door: Gateway, session_id: str) -> list[str]:
    """The texts of the session's messages, as read by anybody."""
    return [message["text"] for message in messages(door, session_id)]


def test_a_question_is_answered_by_a_button(chat: ChatPage) -> None:
    chat.say("ask me something")
    chat.page.get_by_role("button", name="A Monday", exact=True).click()
    expect(chat.answers.last).to_contain_text("Your answer was A Monday.")
    expect(chat.page.get_by_role("button", name="A Monday", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(chat.page.get_by_role("button", name="A typo", exact=True)).to_be_disabled()
    chat.shot("answered-by-button")


def test_a_question_is_answered_by_typing(chat: ChatPage) -> None:
    chat.say("ask me something")
    expect(chat.page.get_by_role("button", name="A typo", exact=True)).to_be_enabled()
    chat.shot("question")
    write(chat.page.get_by_role("textbox", name="Your answer"), "Yesterday")
    chat.page.get_by_role("button", name="Answer", exact=True).click()
    expect(chat.answers.last).to_contain_text("Yesterday, in your own words")
    expect(chat.page.get_by_role("textbox", name="Your answer")).to_be_hidden()


def test_a_message_answers_the_only_open_question(chat: ChatPage) -> None:
    chat.say("ask me something")
    expect(chat.page.get_by_role("button", name="A typo", exact=True)).to_be_enabled()
    write(chat.composer, "A whole day")
    chat.composer.press("Enter")
    expect(chat.answers.last).to_contain_text("Your answer was A whole day")


def test_tool_calls_are_cards_that_open_to_what_happened(chat: ChatPage, door: Gateway) -> None:
    chat.say("show progress")
    expect(chat.answers.last).to_contain_text("Done: 9 tool calls")
    chat.settled()
    expect(chat.cards).to_have_count(6)  # the other three are messages
    for said in ("1 of 3", "2 of 3", "3 of 3"):
        expect(chat.answers.filter(has_text=said)).to_have_count(1)
    card = chat.cards.first
    card.get_by_role("button", name=re.compile("Stored the value")).click()
    card.get_by_text("Details", exact=True).click()
    expect(card.get_by_role("group", name="Arguments")).to_contain_text('"key": "demo/progress"')
    expect(card.get_by_role("group", name="Result")).to_be_visible()
    expect(card).to_contain_text(re.compile(r"Duration\s*[\d.]+ m?s"))
    chat.shot("tool-cards")
    with chat.page.context.expect_page() as opened:
        card.get_by_role("link", name=re.compile("raw event: result")).click()
    expect(opened.value.locator("body")).to_contain_text("foldline.session.tool_call_completed.v1")
    calls = [call for message in messages(door, chat.session_id) for call in message["tool_calls"]]
    assert [call["status"] for call in calls] == ["completed"] * 9


def test_a_reload_in_mid_answer_loses_and_doubles_nothing(
    talking: ChatPage, model: ModelServer, door: Gateway
) -> None:
    chat = talking
    counting(chat, "count slowly, please")
    chat.shot("streaming")
    chat.page.reload()
    expect(chat.said).to_have_count(2)
    expect(chat.working).to_be_visible()
    chat.shot("reloaded-in-mid-answer")
    model.release()
    expect(chat.answers.last).to_contain_text(COUNTING)
    chat.settled()
    expect(chat.live).to_be_hidden()
    assert recorded(door, chat.session_id)[2:] == ["count slowly, please", COUNTING]
    before = chat.transcript()
    chat.page.reload()
    expect(chat.answers).to_have_count(2)
    chat.shows(before)


def test_a_reload_while_the_agent_waits_keeps_the_question_open(chat: ChatPage) -> None:
    chat.say("ask me something")
    expect(chat.page.get_by_role("button", name="A typo", exact=True)).to_be_enabled()
    before = chat.transcript()
    chat.page.reload()
    expect(chat.page.get_by_role("button", name="A typo", exact=True)).to_be_enabled()
    chat.shows(before)
    chat.page.get_by_role("button", name="A typo", exact=True).click()
    expect(chat.answers.last).to_contain_text("Your answer was A typo.")
    chat.settled()


def test_two_pages_on_one_session_show_the_same(
    talking: ChatPage, new_page: NewPage, stack: Stack, screenshots: Path, model: ModelServer
) -> None:
    one = talking
    other = ChatPage(new_page(stack.url).page, screenshots)
    other.open(stack.link)
    other.open(f"{stack.url}/#/s/{one.session_id}")
    expect(other.answers).to_have_count(1)

    counting(one, "count slowly for both")
    expect(other.live).to_contain_text("three")
    model.release()
    for page in (one, other):
        expect(page.answers.last).to_contain_text(COUNTING)
        page.settled()
    other.shows(one.transcript())

    other.say("ask me something")
    expect(one.page.get_by_role("button", name="A typo", exact=True)).to_be_enabled()
    one.page.get_by_role("button", name="A typo", exact=True).click()
    expect(other.page.get_by_role("button", name="A typo", exact=True)).to_be_disabled()
    for page in (one, other):
        expect(page.answers.last).to_contain_text("Your answer was A typo.")
        page.settled()
    other.shows(one.transcript())


def test_what_is_written_while_the_agent_works_is_queued_and_read_next(
    talking: ChatPage, model: ModelServer
) -> None:
    chat = talking
    counting(chat, "count slowly first")
    chat.say("and then this")
    expect(chat.said.last).to_contain_text("Queued")
    chat.shot("queued")
    model.release()
    expect(chat.answers.last).to_contain_text("and then this")
    chat.settled()
    expect(chat.said.last).not_to_contain_text("Queued")
    expect(chat.said).to_have_count(3)
    expect(chat.answers).to_have_count(3)


@pytest.mark.parametrize("by", ["button", "Escape"])
def test_stop_ends_the_answer_and_the_chat_goes_on(talking: ChatPage, model: ModelServer, by: str) -> None:
    chat = talking
    counting(chat, "count slowly until I stop you")
    if by == "button":
        chat.working.click()
    else:
        chat.page.keyboard.press("Escape")
    chat.settled()
    chat.shot("stopped")
    expect(chat.live).to_be_hidden()
    model.release()
    chat.say("let us go on")
    expect(chat.answers.last).to_contain_text("let us go on")
    chat.settled()
    expect(chat.page.get_by_text("twelve")).to_have_count(0)


def test_a_chat_is_renamed_everywhere(talking: ChatPage) -> None:
    chat = talking
    chat.page.get_by_role("button", name=re.compile("thanks.*rename")).click()
    write(chat.page.get_by_role("textbox", name="Title"), "My first chat <3")
    chat.page.keyboard.press("Enter")
    expect(chat.page.get_by_role("link", name=re.compile("My first chat <3"))).to_be_visible()
    chat.page.reload()
    expect(chat.page.get_by_role("heading", level=1)).to_contain_text("My first chat <3")


def test_an_archived_chat_can_be_read_and_takes_messages_once_it_is_reopened(
    talking: ChatPage, door: Gateway
) -> None:
    chat = talking
    chat.page.get_by_role("button", name="More about this chat").click()
    chat.page.get_by_role("button", name="Archive…").click()
    chat.page.get_by_role("dialog").get_by_role("button", name="Archive", exact=True).click()
    expect(chat.page.get_by_text("This chat is archived.")).to_be_visible()
    expect(chat.composer).to_be_hidden()
    expect(chat.answers).to_have_count(1)
    chat.shot("archived")
    assert listed(door, chat.session_id)["status"] == "completed"
    chat.page.get_by_role("button", name="Reopen", exact=True).click()
    chat.say("and now?")
    expect(chat.answers).to_have_count(2)


def test_a_failed_turn_says_why_and_goes_on_with_retry_here(chat: ChatPage) -> None:
    chat.say("use the wrong key")
    failed = chat.page.get_by_role("article", name="Error")
    expect(failed).to_contain_text("FOLDLINE_MODEL_API_KEY")
    chat.shot("model-failed")
    expect(chat.composer).to_be_visible()
    chat.page.get_by_role("button", name="Retry here").click()
    expect(chat.answers).to_contain_text("Now it is right.")
    expect(chat.page.get_by_role("button", name="Retry here")).to_have_count(0)
    expect(failed).to_have_count(1)
    chat.shot("model-retried")


def test_a_person_stops_a_turn_that_would_ask_again_by_itself(chat: ChatPage, door: Gateway) -> None:
    chat.say("fall down")
    waits = chat.page.get_by_text("Foldline asks the model again at")
    expect(waits).to_be_visible()
    chat.page.get_by_role("button", name="Stop retrying").click()
    expect(waits).to_have_count(0)
    expect(chat.page.get_by_role("button", name="Stop retrying")).to_have_count(0)
    state = door.get(f"/sessions/{chat.session_id}/state")
    assert state["failed_turn"]["retry_at"] is None
    chat.page.reload()
    expect(chat.page.get_by_role("button", name="Retry here")).to_be_visible()
    expect(waits).to_have_count(0)
    chat.page.get_by_role("button", name="Retry here").click()
    expect(chat.answers).to_contain_text("On my feet again.")


def test_unsent_text_survives_a_reload(chat: ChatPage) -> None:
    write(chat.composer, "not yet\nfinished")
    chat.page.reload()
    expect(chat.composer).to_have_value("not yet\nfinished")


def test_text_that_looks_like_markup_is_text(chat: ChatPage) -> None:
    chat.say("<img src=x onerror=alert(1)> **bold** <script>alert(2)</script>")
    expect(chat.said.first).to_contain_text("<img src=x onerror=alert(1)> **bold**")
    expect(chat.answers).to_contain_text("<script>alert(2)</script>")
    assert chat.page.locator("main img, main script").count() == 0


def test_a_chat_that_does_not_exist_says_so(stack: Stack, new_page: NewPage, screenshots: Path) -> None:
    watched = new_page(stack.url)
    chat = ChatPage(watched.page, screenshots)
    chat.open(stack.link)
    chat.page.goto(f"{stack.url}/#/s/s_nothing_here")
    expect(chat.page.get_by_role("alert")).to_be_visible()
    chat.shot("no-such-chat")
    watched.forgive("404")


def test_what_was_said_before_stop_stays_after_a_reload_and_in_the_next_request(
    talking: ChatPage, model: ModelServer, door: Gateway
) -> None:
    chat = talking
    counting(chat, "count slowly until I stop you")
    chat.page.get_by_role("button", name=re.compile("^Stop")).first.click()
    chat.settled()
    expect(chat.answers.last).to_contain_text("three")
    expect(chat.page.get_by_text("Stopped. The agent keeps what it has said.")).to_be_visible()
    chat.shot("stopped-in-mid-answer")
    said = recorded(door, chat.session_id)[-1]
    assert said
    assert COUNTING.startswith(said.strip())
    chat.page.reload()
    expect(chat.answers.last).to_contain_text("three")
    expect(chat.page.get_by_text("Stopped. The agent keeps what it has said.")).to_be_visible()
    chat.say("thanks")
    expect(chat.answers).to_have_count(3)
    sent = [message["content"] for message in without_times(model.recording.requests[-1].messages)]
    assert sent[-2:] == [said, "[Foldline] The user stopped your answer here.\n\nthanks"]
