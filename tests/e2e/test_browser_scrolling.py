"""The page never goes blank: nothing that scrolls moves the document, and what can't be read comes back."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]

SIZES = [(390, 700), (1024, 768), (1440, 900)]
SESSIONS = 32
LONG = "\n\n".join(
    f"Paragraph {number} of a long answer, so that the conversation has to scroll." for number in range(12)
)
_WRITE = {"name": "set_state", "arguments": {"key": "seen", "value": "{{ last_user }}"}}
SCRIPT = {
    "rules": [
        {"when": {"user_contains": "work"}, "turns": [{"tool_calls": [_WRITE]}, {"text": LONG}]},
        {"reply": {"text": LONG}},
    ]
}
SECTIONS = ["tools", "functions", "libraries", "components", "skills", "prompt", "notes", "state", "secrets"]

MEASURE = """() => {
  const named = (one) => `${one.tagName.toLowerCase()}.${[...one.classList].join(".")}`;
  const scrolls = (one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowY);
  const faults = [];
  const every = [...document.querySelectorAll("body *")];
  for (const one of every.filter(scrolls)) one.scrollTop = 1e6;
  // What holds a whole view must not move, by a script or a focus either.
  const frames = every.filter((one) => one.querySelector("main"));
  for (const frame of [document.documentElement, document.body, ...frames]) {
    frame.scrollTop = 1e6;
    if (frame.scrollTop !== 0) faults.push(`${named(frame)} scrolls by ${frame.scrollTop}`);
  }
  const { scrollHeight, scrollWidth } = document.scrollingElement;
  if (scrollHeight > innerHeight || scrollWidth > innerWidth) faults.push(`${scrollWidth} x ${scrollHeight}`);
  // What is placed freely in a container that scrolls is held by it, not by what is around it.
  for (const one of every) {
    if (getComputedStyle(one).position !== "absolute" || !one.offsetParent) continue;
    let around = one.parentElement;
    while (around && !scrolls(around)) around = around.parentElement;
    if (!around || around.contains(one.offsetParent)) continue;
    faults.push(`${named(one)} is not held by ${named(around)}`);
  }
  const { top, bottom } = document.querySelector("main").getBoundingClientRect();
  if (bottom > innerHeight + 1 || top < 0) faults.push(`the view is at ${top} to ${bottom}`);
  return faults;
}"""


@pytest.fixture
def long_session(door: Gateway) -> str:
    """The id of a chat with a long history; around it more chats than any screen has room for."""
    for number in range(SESSIONS):
        door.post("/sessions", {"title": f"Chat {number}, whose title is too long for the list of the chats"})
    return str(door.post("/sessions", {"message": "work"})["id"])


def test_no_scroll_container_can_move_the_document(
    stack: Stack, door: Gateway, new_page: NewPage, screenshots: Path, long_session: str
) -> None:
    watched = new_page(stack.url, width=1440)
    chat = ChatPage(watched.page, screenshots)
    page = chat.page
    at = f"{stack.url}/#/s/{long_session}"

    def measured(view: str) -> None:
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate(MEASURE) == [], f"{view} at {width} x {height}"
        chat.shot(f"scrolled-{view}")

    chat.open(stack.link)
    expect(page.get_by_role("navigation", name="Chats").get_by_role("link").nth(SESSIONS)).to_be_attached()
    measured("new")

    page.goto(at)
    for word in ("work more", "work on", "work again"):
        chat.settled()
        chat.say(word)
    chat.settled()
    measured("chat")

    page.get_by_role("button", name="More about your message").last.click()
    page.get_by_role("button", name="Rewind to before this…").click()
    expect(page.get_by_role("dialog")).to_contain_text("Stored value seen")
    measured("rewind-preview")
    page.keyboard.press("Escape")

    page.goto(f"{at}/history")
    events = page.get_by_role("group", name="What happened, newest first")
    events.get_by_role("link").first.click()
    expect(page.get_by_role("tabpanel")).to_be_visible()
    assert events.get_by_role("link").count() <= 60, "only the rows in sight are in the document"
    measured("history")

    for section in SECTIONS:
        page.goto(f"{stack.url}/#/studio/default/{section}")
        expect(page.get_by_role("link", name=re.compile(section, re.I)).first).to_be_visible()
        measured(f"studio-{section}")
    page.goto(f"{stack.url}/#/studio/default/tools/todo")
    measured("studio-tool")

    page.goto(f"{stack.url}/#/pages/default/To-do")
    expect(page.locator("iframe")).to_be_visible()
    measured("page")

    page.context.clear_cookies()
    page.reload()
    expect(page.get_by_role("heading", name="Log in to Foldline")).to_be_visible()
    measured("login")
    watched.forgive("401")
    watched.forgive("404")  # a key of the state, read by the page before there was one


def test_what_one_sends_comes_into_view(
    stack: Stack, door: Gateway, new_page: NewPage, screenshots: Path
) -> None:
    chat = ChatPage(new_page(stack.url, width=390).page, screenshots)
    chat.open(stack.link)
    chat.say("hello")
    chat.settled()
    chat.say("and more")
    chat.settled()
    conversation = chat.page.get_by_role("log", name="Conversation")
    newest = chat.page.get_by_role("button", name="Go to the newest message")
    conversation.hover()
    expect(newest).to_be_hidden()
    for _ in range(5):  # as a reader turns the wheel: until it is where they want it
        chat.page.mouse.wheel(0, -400)
        chat.page.wait_for_timeout(50)
    expect(newest).to_be_visible()
    chat.say("what I say now")
    expect(chat.said.last).to_contain_text("what I say now")
    chat.settled()
    # A long answer may have pushed the message itself out again: the end is what stays in view.
    at_end = "scroller => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight"
    assert conversation.evaluate(at_end) < 2
    expect(newest).to_be_hidden()


def test_who_begins_a_chat_on_a_narrow_page_writes_on(
    stack: Stack, door: Gateway, new_page: NewPage, screenshots: Path
) -> None:
    chat = ChatPage(new_page(stack.url, width=390).page, screenshots)
    chat.open(stack.link)
    chat.composer.click()
    chat.page.keyboard.type("hello")
    chat.page.keyboard.press("Enter")
    expect(chat.said).to_have_count(1)
    chat.page.keyboard.type("show more")  # each of these letters is a shortcut where nobody writes
    expect(chat.composer).to_have_value("show more")


def test_a_chat_that_can_not_be_read_opens_by_itself_once_the_browser_is_back(
    stack: Stack, door: Gateway, new_page: NewPage, screenshots: Path
) -> None:
    session = door.post("/sessions", {"message": "hello"})["id"]
    watched = new_page(stack.url)
    chat = ChatPage(watched.page, screenshots)
    chat.open(stack.link)
    chat.page.context.set_offline(True)
    chat.page.goto(f"{stack.url}/#/s/{session}")
    expect(chat.page.get_by_role("alert")).to_contain_text("Foldline retries automatically.")
    chat.shot("unreachable")
    chat.page.context.set_offline(False)
    expect(chat.answers).to_have_count(1)
    expect(chat.page.get_by_role("alert")).to_be_hidden()
    watched.forgive("ERR_INTERNET_DISCONNECTED")


def test_what_is_written_in_the_studio_survives_leaving_it_and_a_reload(
    stack: Stack, new_page: NewPage, screenshots: Path
) -> None:
    chat = ChatPage(new_page(stack.url).page, screenshots)
    chat.open(stack.link)
    page, tool = chat.page, f"{stack.url}/#/studio/default/tools/todo"
    page.goto(tool)
    page.get_by_role("button", name="Edit").click()
    write(page.get_by_label("Description"), "What I write and don't save")
    page.goto(f"{stack.url}/#/")
    expect(chat.composer).to_be_visible()
    page.goto(tool)
    expect(page.get_by_label("Description")).to_have_value("What I write and don't save")
    page.reload()
    expect(page.get_by_label("Description")).to_have_value("What I write and don't save")
    page.get_by_role("button", name="Cancel").click()
    page.reload()
    expect(page.get_by_role("button", name="Edit")).to_be_visible()
