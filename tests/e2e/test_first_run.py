"""A newcomer: has started Foldline, opens the link, talks to the demo model."""

import re
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage, accessibility_faults
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]
ANSWER = {"rules": [{"reply": {"text": "Connected to you."}}]}
KEY = "sk-canary-5512"


def demo_answers(door: Gateway) -> bool:
    """Whether the demo model is the one that answers."""
    (model,) = (one["value"] for one in door.get("/settings")["items"] if one["name"] == "model")
    return str(model or "demo").endswith("demo")


@pytest.fixture
def chat(demo: Stack, new_page: NewPage, screenshots: Path) -> ChatPage:
    """The link, opened."""
    page = ChatPage(new_page(demo.url).page, screenshots)
    page.open(demo.link)
    return page


def test_the_link_greets_and_says_that_the_demo_model_answers(chat: ChatPage, axe: Path) -> None:
    expect(chat.page.get_by_role("heading", name="Foldline", exact=True)).to_be_visible()
    expect(chat.page.get_by_text("The personal agent you can rewind.")).to_be_visible()
    chips = chat.page.locator(".suggestions").get_by_role("button")
    expect(chips.nth(0)).to_have_text("Make a tool")
    expect(chips.nth(1)).to_have_text("Rewind it")
    expect(chat.page.get_by_text("This is the demo model")).to_be_visible()
    expect(chat.composer).to_be_focused()
    chat.shot("first-run")
    assert accessibility_faults(chat.page, axe) == []


def test_the_token_does_not_stay_in_the_address_and_no_script_can_read_the_cookie(
    chat: ChatPage, demo: Stack
) -> None:
    assert demo.token not in chat.page.url
    assert chat.page.evaluate("document.cookie") == ""
    (cookie,) = chat.page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert demo.token not in cookie["value"]


def test_the_first_answer_says_what_one_can_try(chat: ChatPage) -> None:
    chat.say("hello")
    expect(chat.answers).to_have_count(1)
    chat.settled()
    expect(chat.answers).to_contain_text("ask me something")
    expect(chat.page).to_have_title(re.compile("hello$"))  # after the number of chats that wait
    chat.shot("first-answer")


def test_a_suggestion_is_one_click(chat: ChatPage) -> None:
    chat.page.get_by_role("button", name="Ask me something", exact=True).click()
    expect(chat.page.get_by_role("button", name="A Monday", exact=True)).to_be_visible()


def test_a_model_is_connected_in_two_steps_and_its_key_is_a_secret(
    chat: ChatPage, demo: Stack, axe: Path
) -> None:
    page = chat.page
    with demo.gateway() as door, ModelServer(ANSWER) as server:
        given = server.environment()
        button = page.get_by_role("button", name="Connect a model")
        button.click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("radio", name="Your own server").check()
        write(dialog.get_by_label("Address"), "http://127.0.0.1:9/v1")
        write(dialog.get_by_label("Model", exact=True), given["FOLDLINE_MODEL"])
        assert accessibility_faults(page, axe) == []
        dialog.get_by_label("Model", exact=True).press("Enter")
        write(dialog.get_by_label("Key, if it wants one"), KEY)
        dialog.get_by_role("button", name="Test and use it").click()
        expect(dialog.get_by_role("alert")).to_contain_text("Nothing was stored.")
        chat.shot("connect-refused")
        assert demo_answers(door)

        dialog.get_by_role("button", name="Back").click()
        write(dialog.get_by_label("Address"), given["FOLDLINE_MODEL_BASE_URL"])
        dialog.get_by_role("button", name="Next").click()
        dialog.get_by_role("button", name="Test and use it").click()
        expect(dialog.get_by_role("status")).to_contain_text("It answers from now on")
        chat.shot("connected")
        assert accessibility_faults(page, axe) == []
        try:
            assert not demo_answers(door)
            assert KEY not in str(door.get("/settings"))
            dialog.get_by_role("button", name="Begin").click()
            expect(page.get_by_text("This is the demo model")).to_be_hidden()
            expect(page.get_by_label("Model", exact=True)).to_contain_text(given["FOLDLINE_MODEL"])
            chat.say("hello")
            expect(chat.answers.last).to_have_text(re.compile("Connected to you"))
        finally:
            names = ("model", "model_base_url", "model_api_key")
            door.patch("/settings", {"values": dict.fromkeys(names)})
        assert demo_answers(door)


def test_without_the_token_there_is_a_page_that_asks_for_it(
    demo: Stack, new_page: NewPage, screenshots: Path, axe: Path
) -> None:
    watched = new_page(demo.url)
    chat = ChatPage(watched.page, screenshots)
    answer = chat.page.goto(demo.url)
    assert answer is not None
    assert answer.status == 401
    chat.shot("no-token")
    assert accessibility_faults(chat.page, axe) == []

    write(chat.page.get_by_label("Token"), "not the token at all")
    chat.page.get_by_role("button", name="Log in").click()
    expect(chat.page.get_by_role("alert")).to_contain_text("not the token")

    write(chat.page.get_by_label("Token"), demo.token)
    chat.page.get_by_role("button", name="Log in").click()
    expect(chat.composer).to_be_visible()
    watched.forgive("401")


def test_a_page_whose_token_was_lost_asks_for_it_and_keeps_what_was_written(
    demo: Stack, new_page: NewPage, screenshots: Path
) -> None:
    watched = new_page(demo.url)
    chat = ChatPage(watched.page, screenshots)
    chat.open(demo.link)
    write(chat.composer, "am I still known?")
    chat.page.context.clear_cookies()
    chat.page.keyboard.press("Enter")  # if the page has not found out by itself
    expect(chat.page.get_by_role("heading", name="Log in to Foldline")).to_be_visible()
    chat.shot("logged-out")
    write(chat.page.get_by_label("Token"), demo.token)
    chat.page.get_by_role("button", name="Log in").click()
    expect(chat.composer).to_have_value("am I still known?")
    watched.forgive("401")


def test_the_link_stays_good_for_programs(demo: Stack) -> None:
    signed_in = httpx.get(f"{demo.url}/api/v1/sessions", headers={"Authorization": f"Bearer {demo.token}"})
    assert signed_in.status_code == 200
    assert httpx.get(f"{demo.url}/api/v1/sessions").status_code == 401
