"""What people do with chats every day: say it otherwise, ask again, find, sort, look through long ones."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.command import Command
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

pytestmark = pytest.mark.browser


NewPage = Callable[..., WatchedPage]

HOSTILE = (
    "A picture: ![secret](https://127.0.0.1:9/leak.png)\n\n| Tea | Degrees |\n|---|---|\n| Sencha | 75 |\n\n"
    "It is $E = mc^2$, and costs $5 or $10.\n\n```mermaid\ngraph LR\n"
    '  A["<img src=https://127.0.0.1:9/x.png onerror=alert(1)>"] --> B\n'
    '  click A "javascript:alert(1)"\n```\n'
)
COUNTED = {"name": "set_state", "arguments": {"key": "daily/one", "value": "1"}}
IDS = "{{ results | map(attribute='id') | list }}"
RESULT = {"tool_calls": [{"name": "report_result", "arguments": {"result": "grass"}}]}
SCRIPT = {
    "rules": [
        {"when": {"user_contains": "everything"}, "reply": {"text": HOSTILE}},
        {
            "when": {"user_contains": "count up"},
            "turns": [
                {"text": "I look first.", "tool_calls": [COUNTED]},
                {"tool_calls": [COUNTED | {"arguments": {"key": "daily/two", "value": "2"}}]},
                {"text": "Counted twice."},
            ],
        },
        {"when": {"user_contains": "[taster]"}, "turns": [RESULT]},
        {
            "when": {"user_contains": "have it tasted"},
            "turns": [
                {"tool_calls": [{"name": "spawn_session", "arguments": {"task": "[taster] the green one"}}]},
                {"tool_calls": [{"name": "wait_for_sessions", "arguments": {"ids": IDS}}]},
                {"text": "It tastes of grass."},
            ],
        },
        {"when": {"user_contains": "coffee"}, "reply": {"text": "Coffee it is."}},
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}
MESSAGES = 540
LOOK = """async () => {
  const scroller = document.querySelector(".transcript");
  const seen = [];
  for (let step = 0; step < 400; step += 1) {
    seen.push(document.querySelectorAll(".transcript-row").length);
    if (scroller.scrollTop === 0 && scroller.innerText.includes("Message number 1.")) break;
    scroller.scrollTop = Math.max(0, scroller.scrollTop - 700);
    await new Promise((done) => setTimeout(done, 60));
  }
  return { most: Math.max(...seen), least: Math.min(...seen), steps: seen.length };
}"""


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
    write(page.get_by_role("textbox", name="Your message"), "I like coffee")
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


def test_an_answer_that_used_tools_is_asked_for_again_from_any_of_its_steps(
    chat: ChatPage, door: Gateway
) -> None:
    page = chat.page
    chat.say("count up")
    expect(chat.answers.last).to_contain_text("Counted twice.")
    chat.settled()
    first = chat.session_id
    expect(chat.cards).to_have_count(2)
    again = re.compile("^Answer again$")
    # The last answer: what the tools did stands, and is not done again.
    chat.answers.last.get_by_role("button", name=again).click()
    expect(page).not_to_have_url(re.compile(first))
    expect(page.get_by_role("group", name="Variant 2 of 2")).to_be_visible()
    expect(chat.answers.last).to_contain_text("Counted twice.")
    chat.settled()
    second = chat.session_id
    assert second != first
    expect(chat.cards).to_have_count(2)
    # The first one, before any tool: the tools run once more, in the fork alone.
    chat.answers.first.get_by_role("button", name=again).click()
    expect(page).not_to_have_url(re.compile(second))
    expect(chat.answers.last).to_contain_text("Counted twice.")
    chat.settled()
    third = chat.session_id
    assert third not in (first, second)
    expect(chat.cards).to_have_count(2)
    own = [
        [one["type"] for one in door.get(f"/sessions/{session}/events", limit=1_000)["items"]]
        for session in (first, second, third)
    ]
    called = [sum(kind.endswith("tool_call_requested.v1") for kind in kinds) for kinds in own]
    assert called == [2, 0, 2], own


def test_a_chat_in_which_nothing_was_said_says_what_can_be_done(
    chat: ChatPage, stack: Stack, door: Gateway
) -> None:
    session = door.post("/sessions", {"title": "Empty"})["id"]
    chat.page.goto(f"{stack.url}/#/s/{session}")
    expect(chat.page.get_by_role("heading", name="Nothing has been said in this chat yet")).to_be_visible()
    chat.shot("nothing-said")
    chat.say("hello")
    expect(chat.page.get_by_role("heading", name="Nothing has been said in this chat yet")).to_have_count(0)
    chat.settled()


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
    expect(answer.get_by_role("alert")).to_contain_text("It could not be loaded")
    chat.shot("drawn")
    page.set_viewport_size({"width": 390, "height": 800})
    chat.shot("drawn-390")
    watched.forgive("422")
    watched.forgive("status of 4")


def test_chats_are_found_pinned_renamed_archived_and_reopened_in_the_list(
    chat: ChatPage, stack: Stack, door: Gateway
) -> None:
    page = chat.page
    name = "Quokka diary"
    session = door.post("/sessions", {"message": "the quokka sleeps", "title": name})["id"]
    assert len(messages(door, session)) > 0, "its words are in the tables"
    page.goto(f"{stack.url}/#/s/{session}")
    chat.settled()
    listed = page.get_by_role("navigation", name="Chats")
    row = listed.get_by_role("link", name=re.compile(name))
    write(listed.get_by_role("searchbox", name="Search chats"), "quokka sleeps")
    expect(row.locator("mark")).to_have_text(["quokka", "sleeps"])
    chat.shot("search")
    write(listed.get_by_role("searchbox", name="Search chats"), "")

    def choose(words: str) -> None:
        listed.locator(".session-row").filter(has_text=name).hover()
        listed.get_by_role("button", name=f"More about {name}").click()
        listed.get_by_role("button", name=words, exact=True).locator("visible=true").click()

    choose("Pin")
    pinned = listed.get_by_role("region", name="Pinned")
    expect(pinned.get_by_role("link", name=re.compile(name))).to_be_visible()
    page.reload()
    expect(pinned.get_by_role("link", name=re.compile(name))).to_be_visible()
    choose("Unpin")
    expect(pinned).to_be_hidden()
    choose("Archive")
    archived = listed.get_by_role("region", name="Archived")
    expect(archived.get_by_role("link", name=re.compile(name))).to_be_visible()
    choose("Reopen")
    expect(archived.get_by_role("link", name=re.compile(name))).to_be_hidden()
    chat.shot("list")


def test_a_chat_that_used_up_its_tokens_goes_on_with_more(
    stack: Stack, chat: ChatPage, door: Gateway
) -> None:
    page = chat.page
    session = door.post("/sessions", {"message": "first", "token_limit": 100})["id"]
    page.goto(f"{stack.url}/#/s/{session}")
    closed = page.get_by_role("region", name="This chat is closed")
    expect(closed).to_contain_text("limit")
    expect(chat.composer).to_have_count(0)
    closed.get_by_role("button", name=re.compile("^Continue up to .* tokens$")).click()
    expect(chat.composer).to_be_visible()
    chat.say("coffee, then")
    expect(chat.answers.last).to_contain_text("Coffee it is.")
    assert door.get(f"/sessions/{session}")["token_limit"] > 100


def test_sub_sessions_stand_below_their_chat_in_the_list(chat: ChatPage) -> None:
    page = chat.page
    chat.say("have it tasted")
    expect(chat.answers.last).to_contain_text("It tastes of grass.")
    chats = page.get_by_role("navigation", name="Chats")
    mine = chats.get_by_role("listitem").filter(has=page.locator("[aria-current=page]")).last
    below = mine.get_by_role("list").get_by_role("link")
    expect(below).to_have_count(1)
    expect(below).to_contain_text("the green one")
    below.click()
    expect(page.get_by_role("navigation", name="About this chat")).to_contain_text("Sub-session of")
    expect(chats.get_by_role("list").get_by_role("list").locator("[aria-current=page]")).to_have_count(1)


def test_chats_are_deleted_from_the_list_from_the_palette_and_several_at_once(
    chat: ChatPage, stack: Stack, door: Gateway, new_page: NewPage, screenshots: Path
) -> None:
    page = chat.page
    names = [f"Numbat {number}" for number in range(4)]
    ids = [door.post("/sessions", {"message": "hello", "title": name})["id"] for name in names]
    at = door.get(f"/sessions/{ids[0]}")["last_sequence"]
    fork = door.post(f"/sessions/{ids[0]}:fork", {"at": at})["id"]
    page.goto(f"{stack.url}/#/s/{ids[0]}")
    chat.settled()
    elsewhere = new_page(stack.url)
    watching = ChatPage(elsewhere.page, screenshots)
    watching.open(stack.link)
    elsewhere.page.goto(f"{stack.url}/#/s/{ids[0]}")
    watching.settled()
    listed, dialog = page.get_by_role("navigation", name="Chats"), page.get_by_role("dialog")

    def row(name: str) -> Locator:
        return listed.locator(".session-row").filter(has_text=name)

    def choose(name: str, words: str) -> None:
        row(name).first.hover()
        listed.get_by_role("button", name=f"More about {name}").first.click()
        listed.get_by_role("button", name=words, exact=True).locator("visible=true").click()

    choose(names[0], "Delete…")
    expect(dialog).to_contain_text("This can't be undone.")
    expect(dialog).to_contain_text(
        "One chat was forked from this one. It keeps the history it shares with it"
    )
    chat.shot("delete")
    dialog.get_by_role("button", name="Cancel").click()
    assert door.get(f"/sessions/{ids[0]}")["id"] == ids[0]
    choose(names[0], "Delete…")
    dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(dialog).to_be_hidden()
    expect(page).to_have_url(re.compile("#/?$|#/new$|/$"))
    expect(elsewhere.page.get_by_role("alert")).to_contain_text("This chat was deleted")
    assert door.get(f"/sessions/{fork}/messages")["items"]

    choose(names[1], "Select several")
    listed.get_by_role("checkbox", name=f"Select {names[2]}").check()
    listed.get_by_role("button", name="Delete…").locator("visible=true").click()
    dialog.get_by_role("button", name="Delete 2 chats").click()
    expect(dialog).to_be_hidden()
    expect(row(names[1])).to_have_count(0)
    expect(row(names[2])).to_have_count(0)

    page.goto(f"{stack.url}/#/s/{ids[3]}")
    chat.settled()
    page.keyboard.press("Control+k")
    write(page.get_by_placeholder("Search chats, pages and actions"), "delete this")
    page.keyboard.press("Enter")
    dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(row(names[3])).to_have_count(0)
    for one in ids:
        with pytest.raises(Rejected) as gone:
            door.get(f"/sessions/{one}")
        assert gone.value.kind == "erased"


def test_a_new_chat_asks_the_agent_and_the_model_that_are_chosen_and_so_do_its_forks(
    chat: ChatPage, stack: Stack, door: Gateway, tmp_path: Path
) -> None:
    page = chat.page
    door.post("/agents", {"id": "tutor", "name": "Tutor", "starters": False})
    page.goto(f"{stack.url}/#/")
    page.reload()
    page.get_by_label("Agent", exact=True).select_option("Tutor")
    models = page.get_by_label("Model", exact=True)
    models.select_option("Another one…")
    other = page.get_by_label("The other model")
    write(other, "groq/nobody-has-its-key")
    expect(page.get_by_text("No key for groq is set")).to_be_visible()
    chat.shot("who-answers")
    write(other, "openai/chosen")
    expect(page.get_by_text("No key for groq is set")).to_be_hidden()
    write(chat.composer, "hello, chosen one")
    chat.composer.press("Enter")
    page.wait_for_url(re.compile("#/s/"))
    chat.settled()
    about = page.get_by_role("navigation", name="About this chat")
    expect(about).to_contain_text("openai/chosen")
    expect(about.get_by_role("link", name="tutor")).to_be_visible()
    chat.shot("who-answered")
    session = door.get(f"/sessions/{chat.session_id}")
    assert (session["agent_id"], session["model"]) == ("tutor", "openai/chosen")
    at = session["last_sequence"]
    fork = door.post(f"/sessions/{session['id']}:fork", {"at": at})["id"]
    for one in (session["id"], fork):
        if one == fork:
            turn = ChatTurn(door, fork)
            turn.say("and on")
            assert list(turn.pieces())
        assert messages(door, one)[-1]["model"] == "openai/chosen"
    said = Command(stack.data_dir, tmp_path)("send", "hi", "--model", "openai/by-hand", "--json")
    assert said.code == 0, said.err
    assert messages(door, said.json["session_id"])[-1]["model"] == "openai/by-hand"


def test_of_a_long_chat_only_what_is_in_sight_is_in_the_document(
    chat: ChatPage, stack: Stack, door: Gateway
) -> None:
    page = chat.page
    session = door.post("/sessions", {"message": "Message number 1."})["id"]
    for number in range(2, MESSAGES):
        door.post(
            f"/sessions/{session}/messages", {"text": f"Message number {number}. {'words ' * (number % 40)}"}
        )
    page.goto(f"{stack.url}/#/s/{session}")
    expect(chat.said.last).to_contain_text(f"Message number {MESSAGES - 1}.")
    chat.settled()
    looked = page.evaluate(LOOK)
    assert looked["most"] <= 40, looked
    assert looked["least"] > 2, looked
    assert looked["steps"] > 15, looked
    expect(chat.said.get_by_text("Message number 1.", exact=True)).to_be_attached()

    # What is found is brought from the pages that are not loaded, however one asks for the search.
    page.reload()
    expect(chat.said.last).to_contain_text(f"Message number {MESSAGES - 1}.")
    box = page.get_by_role("searchbox", name="Find in this chat")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("f")
    expect(box).to_be_focused()
    page.keyboard.type('"number 17"')  # a phrase: its words alone are in more messages
    expect(page.locator(".find-bar").get_by_role("status")).to_have_text(
        re.compile("^[0-9]+ of [0-9]+ message")
    )
    # The newest place is the answer to it: messages that waited may stand between the two.
    found = page.locator(".is-revealed")
    expect(found).to_contain_text("Message number 17.")
    expect(found).to_be_in_viewport(ratio=0.99)
    assert "number 17" in page.evaluate("[...CSS.highlights.get('found')].map(String)")
    chat.shot("found")
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)
    menu = page.get_by_role("button", name="More about this chat")
    menu.press("Enter")
    page.get_by_role("button", name="Find in this chat").press("Enter")
    expect(box).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_be_focused()
    page.keyboard.press("Control+k")
    write(page.get_by_role("combobox", name="Command palette"), "find in this")
    page.keyboard.press("Enter")
    expect(box).to_be_focused()


def test_an_answer_is_rated_with_a_reason_and_the_rating_is_taken_back(
    chat: ChatPage, stack: Stack, door: Gateway
) -> None:
    page = chat.page
    session = door.post("/sessions", {"message": "the quokka sleeps"})["id"]
    page.goto(f"{stack.url}/#/s/{session}")
    answer = chat.answers.last
    bad = answer.get_by_role("button", name="Bad answer")
    bad.focus()
    page.keyboard.press("Enter")
    expect(bad).to_have_attribute("aria-pressed", "true")
    answer.get_by_role("button", name="Say why").click()
    page.keyboard.type("It snores.")
    page.keyboard.press("Enter")
    expect(answer.get_by_text("It snores.")).to_be_visible()
    chat.shot("rated")
    page.reload()
    expect(bad).to_have_attribute("aria-pressed", "true")
    expect(answer.get_by_text("It snores.")).to_be_visible()
    bad.click()
    expect(bad).to_have_attribute("aria-pressed", "false")
