"""The history in the browser: the agent as of any event, what the model saw, what led to what."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.looks import Look, Looks
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]
LOOKS: list[Look] = [(390, "light"), (1024, "dark"), (1440, "light")]


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
            "turns": [
                calls("set_state", key="history/found", value="tea"),
                calls("report_result", result="tea"),
            ],
        },
        {
            "when": {"user_contains": "with a helper"},
            "turns": [
                calls("spawn_session", task="[helper] tea"),
                calls("wait_for_sessions", ids="{{ results | map(attribute='id') | list }}"),
                {"text": "The helper is back."},
            ],
        },
        {
            "when": {"user_contains": "fail"},
            "turns": [calls("read_tool", name="there-is-none"), {"text": "It failed."}],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


@pytest.fixture
def chat(stack: Stack, new_page: NewPage, screenshots: Path) -> ChatPage:
    page = ChatPage(new_page(stack.url, width=1440).page, screenshots)
    page.open(stack.link)
    return page


def answered(chat: ChatPage, text: str, answer: str) -> None:
    """Say something and wait for the end of the turn."""
    chat.say(text)
    expect(chat.answers.last).to_contain_text(answer)
    chat.settled()


def history(chat: ChatPage) -> Locator:
    """Open the history of the chat; its rows."""
    chat.page.get_by_role("link", name="History", exact=True).click()
    rows = chat.page.get_by_role("group", name="What happened, newest first")
    expect(rows.get_by_role("link").first).to_be_visible()
    return rows


def test_the_scrubber_leads_to_any_moment_and_back(chat: ChatPage, door: Gateway) -> None:
    answered(chat, "hello", "You said: hello")
    before = str(door.get("/agents/default/prompt")["text"])
    answered(chat, "from now on be brief", "I shall be brief.")
    after = str(door.get("/agents/default/prompt")["text"])
    assert after != before
    page = chat.page
    rows = history(chat)
    panel = page.get_by_role("tabpanel")
    slider = page.get_by_role("slider", name="The moment shown")
    expect(slider).to_have_attribute("aria-valuetext", "Now")
    expect(panel.get_by_role("article", name="You")).to_have_count(2)
    expect(rows.locator("[aria-current]")).to_contain_text("Ended the turn")

    slider.press("PageDown")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("turn 2 of 2"))
    slider.press("PageDown")
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("turn 1 of 2"))
    expect(panel.get_by_role("article", name="You")).to_have_count(1)
    expect(panel).to_contain_text("hello")
    prompt = page.get_by_role("tab", name=re.compile("^Prompt"))
    expect(prompt).to_contain_text("1 changed since")
    page.get_by_text("Different now:").get_by_role("button", name="Prompt").click()
    expect(prompt).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("group", name="System prompt: then and now")).to_contain_text("+ Be brief.")
    chat.shot("history-prompt")

    # Many moves at once: the last stop wins.
    box = slider.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 12, box["y"] + 20)
    page.mouse.down()
    for step in range(30):
        page.mouse.move(box["x"] + 12 + step * (box["width"] - 24) / 29, box["y"] + 20)
    page.mouse.up()
    expect(slider).to_have_attribute("aria-valuetext", "Now")
    expect(panel).to_contain_text("Be brief.")
    expect(page.get_by_role("group", name="System prompt: then and now")).to_have_count(0)
    slider.press("Home")
    page.get_by_role("tab", name="Chat").click()
    expect(panel).to_contain_text("Nothing had been said yet.")
    page.get_by_role("button", name="Now", exact=True).click()
    expect(panel.get_by_role("article", name="You")).to_have_count(2)
    assert str(door.get("/agents/default/prompt")["text"]) == after, "looking changes nothing"


def test_an_event_and_its_place_in_the_chat_lead_to_each_other(chat: ChatPage) -> None:
    answered(chat, "from now on be brief", "I shall be brief.")
    answered(chat, "fail", "It failed.")
    page = chat.page
    rows = history(chat)
    row = rows.get_by_role("link").filter(has_text="Changed the prompt")
    expect(row).to_contain_text("System prompt")
    row.click()
    expect(row).to_have_attribute("aria-current", "true")
    card = page.get_by_role("region", name="The chosen event")
    expect(card).to_contain_text("Changed the prompt")
    expect(card.get_by_role("group", name="System prompt: before and after")).to_contain_text("+ Be brief.")
    card.get_by_role("button", name="What changed since").click()
    expect(card).to_contain_text("No difference.")
    expect(page.locator(".chat-part.is-marked")).to_contain_text("Changed the prompt")
    card.get_by_role("button", name="Details").click()
    expect(
        card.get_by_role("region", name=re.compile("^Event")).or_(card.locator("pre")).first
    ).to_be_visible()
    chat.shot("history-changed")

    page.locator(".chat-part").first.hover()
    page.get_by_role("tabpanel").get_by_role("link", name=re.compile("^event")).first.click()
    expect(page.locator(".chat-part.is-marked")).to_contain_text("from now on be brief")
    expect(rows.locator("[aria-current]")).to_contain_text("You said")

    page.get_by_role("button", name="Pending and failed first").click()
    first = page.get_by_role("list", name="Pending and failed")
    expect(first.get_by_role("link")).to_have_count(1)
    expect(first).to_contain_text("Failed: read_tool: there-is-none")
    write(page.get_by_role("searchbox", name="Search this history"), "there-is-none")
    expect(rows.get_by_role("link").filter(has_text="You said")).to_have_count(0)
    expect(rows.get_by_role("link").filter(has_text="Failed: read_tool: there-is-none")).to_have_count(1)


def test_what_the_model_saw_has_an_address(chat: ChatPage, stack: Stack) -> None:
    answered(chat, "from now on be brief", "I shall be brief.")
    answered(chat, "tea", "You said: tea")
    page, session = chat.page, chat.session_id
    page.goto(f"{stack.url}/#/s/{session}/saw/2")
    parts = page.get_by_role("list", name="Parts, in the order they were sent")
    prompt = parts.get_by_role("button", name=re.compile("^The prompt"))
    expect(prompt).to_contain_text("changed")
    prompt.click()
    expect(page.get_by_role("group", name="The prompt: against the call before")).to_contain_text(
        "+ Be brief."
    )
    assert re.search(r"/saw/2/\d+$", page.url)
    page.reload()
    expect(prompt).to_have_attribute("aria-expanded", "true")
    chat.shot("model-saw")
    page.get_by_role("link", name="Call after").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("call 3")
    expect(parts.get_by_role("button", name=re.compile("^You tea"))).to_contain_text("new")
    expect(parts.get_by_role("button", name=re.compile("^The prompt"))).to_be_visible()
    page.get_by_role("button", name="New since call 2 only").click()
    expect(parts.get_by_role("button", name=re.compile("^The prompt"))).to_have_count(0)
    expect(parts.get_by_role("button", name=re.compile("^You tea"))).to_be_visible()
    history(chat)
    page.get_by_role("link", name=re.compile("^You said.*tea")).click()
    page.get_by_role("link", name="What the model saw last").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("call 2")


def test_a_trace_leads_down_to_the_helper_and_each_bar_to_its_event(chat: ChatPage) -> None:
    answered(chat, "with a helper", "The helper is back.")
    page, session = chat.page, chat.session_id
    history(chat)
    page.get_by_role("link", name="Trace").first.click()
    spans = page.get_by_role("group", name="Spans")
    stored = spans.get_by_role("link", name="Stored the value history/found", exact=True)
    expect(stored).to_be_visible()
    expect(spans).to_contain_text("Began a sub-session")
    spans.get_by_role("button", name=re.compile("^What Began a sub-session")).click()
    expect(stored).to_have_count(0)
    spans.get_by_role("button", name=re.compile("^What Began a sub-session")).click()
    stored.click()
    expect(page.get_by_role("region", name="The chosen event")).to_contain_text("Stored the value")
    assert session not in page.url, "the event is the helper's"


def test_a_strict_replay_shows_its_result_and_a_chat_can_be_taken_out_and_in(
    chat: ChatPage, tmp_path: Path
) -> None:
    answered(chat, "tea", "You said: tea")
    page, session = chat.page, chat.session_id
    history(chat)
    page.get_by_role("button", name="Replay strictly").click()
    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("came out the same")
    page.get_by_role("button", name="Close").click()

    page.get_by_role("button", name="More about this history").click()
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save the chat (Markdown)").click()
    saved = tmp_path / "chat.md"
    saving.value.save_as(saved)
    assert "## You\n\ntea\n\n## Agent\n\nYou said: tea" in saved.read_text()

    page.get_by_role("button", name="More about this history").click()
    with page.expect_download() as exporting:
        page.get_by_role("link", name="Export everything (JSONL)").click()
    exported = tmp_path / "session.jsonl"
    exporting.value.save_as(exported)
    assert json.loads(exported.read_text().splitlines()[0])
    page.locator("input[type=file]").set_input_files(exported)
    expect(chat.composer).to_be_visible()
    expect(chat.said.last).to_contain_text("tea")
    assert chat.session_id != session


def test_the_agent_is_rewound_with_a_preview_and_back_again(
    chat: ChatPage, door: Gateway, screenshots: Path, axe: Path
) -> None:
    door.put("/agents/default/state/restore%2Fcolour", {"value": "blue"})
    answered(chat, "hello", "You said: hello")
    history(chat).get_by_role("link").first.click()
    door.put("/agents/default/state/restore%2Fcolour", {"value": "red"})
    door.put("/agents/default/state/restore%2Fshape", {"value": "round"})
    page = chat.page
    page.get_by_role("button", name="Rewind the agent…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("group", name="Change of Stored value restore/colour")).to_have_text(
        re.compile("- red\\s*\\+ blue")
    )
    expect(dialog.get_by_text("A person has changed it since.").first).to_be_visible()
    Looks(page, LOOKS, screenshots, axe).check("agent-rewind-preview")
    dialog.get_by_role("checkbox", name="Rewind Stored value restore/shape").uncheck()
    dialog.get_by_role("button", name="Rewind", exact=True).click()
    expect(dialog.get_by_text("Done. The agent is as it was")).to_be_visible()
    assert door.get("/agents/default/state/restore%2Fcolour")["value"] == "blue"
    assert door.get("/agents/default/state/restore%2Fshape")["value"] == "round"
    dialog.get_by_role("button", name="Undo…").click()
    expect(dialog.get_by_role("heading", name="Undo the rewind")).to_be_visible()
    dialog.get_by_role("button", name="Undo the rewind").click()
    expect(dialog.get_by_text("Done. The agent is as it was")).to_be_visible()
    assert door.get("/agents/default/state/restore%2Fcolour")["value"] == "red"


def test_the_history_is_accessible_and_fits(
    chat: ChatPage, stack: Stack, screenshots: Path, axe: Path
) -> None:
    answered(chat, "from now on be brief", "I shall be brief.")
    answered(chat, "fail", "It failed.")
    answered(chat, "with a helper", "The helper is back.")
    page, session = chat.page, chat.session_id
    check = Looks(page, LOOKS, screenshots, axe).check
    rows = history(chat)
    check("history")
    rows.get_by_role("link").filter(has_text="Changed the prompt").click()
    expect(page.get_by_role("group", name="System prompt: before and after")).to_be_visible()
    check("history-event")
    page.get_by_role("tab", name="Tools").click()
    expect(page.get_by_role("tabpanel")).to_contain_text("the same now")
    check("history-tools")
    page.goto(f"{stack.url}/#/s/{session}/saw/2")
    expect(page.get_by_role("list", name=re.compile("^Parts"))).to_be_visible()
    check("saw")
    page.goto(f"{stack.url}/#/s/{session}/trace")
    expect(page.get_by_role("group", name="Spans")).to_be_visible()
    check("trace")
