"""Every view there is, on the real stack: axe finds nothing, and it fits.

`make screenshots` keeps pictures of all
of them at three widths, light and dark, in tests/e2e/screenshots/views, to be looked at one by one.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from foldline.cli.client import Gateway
from foldline_testing.product.booking import FORM
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.stack import Stack
from foldline_testing.product.views import Views, calls, rule

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]
AGENT = "viewed"

GUIDE = """## Green tea, briefly

It is best at **80 °C**, for *two minutes*.

| Tea | Water (°C) | Minutes |
| --- | ---: | ---: |
| Sencha | 75 | 1.5 |
| Gyokuro | 60 | 2 |

1. Rinse the pot.
2. Wait until the water has cooled; `kettle --to 80` does it.

```python
def minutes(tea: str) -> float:
    return {"sencha": 1.5}.get(tea, 2)
```
"""
MONTHS = {"labels": ["May", "June", "July"], "datasets": [{"label": "Cost", "data": [420, 510, 380]}]}
BLOCKS: list[dict[str, Any]] = [
    {"type": "markdown", "content": "Two **offers** for your trip, and what they cost."},
    {
        "type": "table",
        "columns": [{"key": "city", "label": "City"}, {"key": "price", "label": "Price (€)"}],
        "data": [{"city": "Oslo", "price": 420}, {"city": "Bergen", "price": 380}],
    },
    {"type": "chart", "chartType": "bar", "data": MONTHS},
    {"type": "code", "language": "python", "content": "total = sum(costs)\nprint(total)"},
    {"type": "alert", "variant": "warning", "content": "Prices change **daily**."},
    {"type": "json", "data": {"offer": {"id": 7, "open": True, "tags": ["sea", None]}}},
    FORM,
]
TALLY = """export default function Tally() {
  const [count, setCount] = useAgentState("tally", 0);
  return (
    <Card title="Tally">
      <p>{count} so far.</p>
      <Stack direction="horizontal" gap={2}>
        <Button onClick={() => setCount((before) => before + 1)}>One more</Button>
        <Button variant="secondary" onClick={() => callTool("counted", { count })}>That's all</Button>
      </Stack>
    </Card>
  );
}
"""
THROWS = """export default function Wheel() {
  throw new TypeError("the wheel came off");
}
"""


SCRIPT = {
    "rules": [
        rule(
            "make tea",
            calls(
                ("set_state", {"key": "tea/last", "value": "sencha"}),
                ("todo", {"add": ["buy sencha", "clean the pot"]}),
            ),
            calls(("read_tool", {"name": "kettle"})),
            calls(("edit_system_prompt", {"operation": "append", "content": "\nLikes tea."})),
            {"text": GUIDE},
        ),
        {
            "when": {"user_contains": "slowly"},
            "reply": {"text": GUIDE, "pace": {"chunks": 8}, "fault": {"kind": "hold", "after_chunks": 5}},
        },
        rule("[helper]", calls(("report_result", {"result": "It is ready."}))),
        rule(
            "with a helper",
            calls(("spawn_session", {"task": "[helper] boil the water"})),
            calls(("wait_for_sessions", {"ids": "{{ results | map(attribute='id') | list }}"})),
            {"text": "The helper is back."},
        ),
        rule(
            "ask me",
            calls(("ask_user", {"question": "Which tea shall it be?", "options": ["Sencha", "Gyokuro"]})),
            {"text": "Good."},
        ),
        rule(
            "offers", calls(("render_blocks", {"blocks": BLOCKS, "title": "Your trip"})), {"text": "Booked."}
        ),
        rule(
            "tally", calls(("render_and_wait", {"code": TALLY, "title": "Count them"})), {"text": "Counted."}
        ),
        rule("wheel", calls(("render_and_wait", {"code": THROWS, "title": "The wheel"})), {"text": "Oh."}),
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


def keeps_and_returns_focus(page: Page) -> None:
    """The open dialog keeps the keyboard while it is open, and gives it back to a control that is seen."""
    # Past its last control is the browser's own; nothing else of the page is.
    inside = """() => document.activeElement === document.body ||
      document.querySelector('[role=dialog]').contains(document.activeElement)"""
    for key in ["Tab"] * 12 + ["Shift+Tab"] * 4:
        page.keyboard.press(key)
        page.wait_for_function(inside, timeout=10_000)  # where it leads out, it is brought back at once
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator("button:focus, a:focus, textarea:focus")).to_be_visible()


UNSEEN = """() => {
  const one = document.activeElement;
  if (one === document.body) return null;
  const drawn = ({ outlineStyle, outlineWidth, boxShadow }) =>
    (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
  for (let at = one, up = 0; at && up < 3; at = at.parentElement, up += 1)
    if (drawn(getComputedStyle(at))) return null;
  return one.outerHTML.slice(0, 200);
}"""


def focus_is_seen(page: Page, stops: int) -> None:
    """At each of the next stops of the keyboard one sees where it is."""
    for _ in range(stops):
        page.keyboard.press("Tab")
        assert page.evaluate(UNSEEN) is None


@pytest.fixture(scope="module")
def agent(stack: Stack, door: Gateway) -> str:
    door.post("/agents", {"id": AGENT, "name": "Viewed"})
    return AGENT


@pytest.fixture
def views(stack: Stack, agent: str, new_page: NewPage, screenshots: Path, axe: Path) -> Views:
    watched = new_page(stack.url, width=1440)
    watched.page.goto(stack.link)
    return Views(stack, watched, screenshots, axe)


def test_what_a_newcomer_sees(demo: Stack, new_page: NewPage, screenshots: Path, axe: Path) -> None:
    watched = new_page(demo.url, width=1440)
    views = Views(demo, watched, screenshots, axe)
    views.page.goto(demo.url)
    expect(views.page.get_by_role("heading", name="Log in to Foldline")).to_be_visible()
    views.page.goto(demo.link)
    expect(views.chat.composer).to_be_visible()
    views.look("01-first-run")
    views.page.get_by_role("button", name="Connect a model").click()
    dialog = views.page.get_by_role("dialog")
    expect(dialog.get_by_role("radio", name="OpenAI")).to_be_visible()
    views.look("03-connect-which")
    dialog.get_by_role("button", name="Next").click()
    views.look("04-connect-key")
    keeps_and_returns_focus(views.page)
    expect(views.page.get_by_role("button", name="Connect a model")).to_be_focused()
    views.go("/gallery")
    expect(views.page.get_by_role("heading", name="Gallery", exact=True)).to_be_visible()
    expect(views.page.get_by_role("textbox", name="Code to edit")).to_be_visible()
    views.look("02-gallery")
    for shelf in views.page.locator(".gallery-shelf").all():
        shelf.scroll_into_view_if_needed()
        views.chat.shot("02-gallery-" + (shelf.get_by_role("heading").first.inner_text()).lower())
    watched.forgive("401")
    assert views.wrong == []


def test_the_chat_and_what_it_shows(views: Views, door: Gateway) -> None:
    chat, page = views.chat, views.page
    session = views.begin(door, AGENT, "How to make tea")
    views.look("10-chat-empty")
    chat.say("make tea")
    expect(chat.answers.last).to_contain_text("Green tea, briefly")
    chat.settled()
    chat.say("with a helper")
    expect(chat.answers.last).to_contain_text("The helper is back.")
    chat.settled()
    views.look("11-chat")
    focus_is_seen(page, 30)
    chat.cards.first.get_by_role("button").first.click()
    chat.cards.first.scroll_into_view_if_needed()
    views.look("12-chat-call-open")
    chat.said.last.get_by_role("button", name="More about your message").click()
    page.get_by_role("button", name="Rewind to before this…").click()
    expect(page.get_by_role("dialog").get_by_role("button", name="Rewind", exact=True)).to_be_enabled()
    views.look("13-rewind-dialog")
    keeps_and_returns_focus(page)

    views.go(f"/s/{session}/history")
    rows = page.get_by_role("group", name="What happened, newest first")
    expect(rows.get_by_role("link").first).to_be_visible()
    views.look("20-history")
    rows.get_by_role("link").filter(has_text="Changed the prompt").click()
    expect(page.get_by_role("group", name="System prompt: before and after")).to_be_visible()
    views.look("21-history-as-of")
    focus_is_seen(page, 30)
    page.get_by_role("tab", name=re.compile("^State")).click()
    expect(page.get_by_role("tabpanel")).to_contain_text("tea/last")
    views.look("22-history-state")
    views.go(f"/s/{session}/saw/2")
    expect(page.get_by_role("list", name=re.compile("^Parts"))).to_be_visible()
    views.look("23-what-the-model-saw")
    page.get_by_role("list", name=re.compile("^Parts")).get_by_role("button").first.click()
    views.look("24-what-the-model-saw-part")
    views.go(f"/s/{session}/trace")
    expect(page.get_by_role("group", name="Spans")).to_be_visible()
    views.look("25-trace")
    views.go(f"/s/{session}/pages/{AGENT}/To-do")
    expect(page.frame_locator("iframe.page-frame").get_by_label("buy sencha", exact=True)).to_be_visible()
    views.look("30-page-beside-chat")
    views.go(f"/pages/{AGENT}/To-do")
    expect(page.frame_locator("iframe.page-frame").get_by_label("buy sencha", exact=True)).to_be_visible()
    views.look("31-page-alone")
    assert views.wrong == []


def test_what_waits_and_what_goes_wrong(views: Views, door: Gateway) -> None:
    chat, page = views.chat, views.page
    views.begin(door, AGENT, "Tea, slowly")
    chat.say("slowly")
    expect(chat.live).to_contain_text("Sencha")
    views.look("40-streaming")
    page.get_by_role("button", name="Stop", exact=True).click()
    chat.settled()
    views.look("41-stopped")
    views.begin(door, AGENT, "Which tea")
    chat.say("ask me")
    expect(page.get_by_role("button", name="Gyokuro", exact=True)).to_be_enabled()
    views.look("42-question")
    views.begin(door, AGENT, "A trip to Norway")
    chat.say("offers")
    expect(page.get_by_role("button", name="Book", exact=True)).to_be_enabled()
    views.look("43-blocks")
    page.get_by_role("button", name="Book", exact=True).click()
    views.look("44-form-with-mistakes")
    views.begin(door, AGENT, "Counting")
    chat.say("tally")
    expect(page.frame_locator("iframe.page-frame").get_by_role("button", name="One more")).to_be_visible()
    views.look("45-canvas")
    views.begin(door, AGENT, "A wheel")
    chat.say("wheel")
    expect(page.get_by_role("region", name="The wheel")).to_contain_text("the wheel came off")
    views.look("46-canvas-error")
    views.go("/inbox")
    expect(page.get_by_role("link", name="A trip to Norway").first).to_be_visible()
    views.look("47-inbox")
    views.go("/notifications")
    expect(page.get_by_role("heading", name="Notifications", exact=True)).to_be_visible()
    views.look("48-notifications")
    views.go("/s/s_00000000000000000000000000")
    expect(page.get_by_role("alert")).to_be_visible()
    views.look("49-no-such-chat")
    page.set_viewport_size({"width": 380, "height": 820})
    page.get_by_role("button", name="Open the chats").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    views.look("50-drawer", [(380, "light"), (380, "dark")])
    views.forgive("404")
    views.forgive("the wheel came off")
    assert views.wrong == []


def test_every_room_of_the_studio(views: Views, door: Gateway) -> None:
    page = views.page
    door.put(f"/agents/{AGENT}/notes", {"text": "Likes tea.\n"})
    views.go(f"/studio/{AGENT}")
    rooms = page.get_by_role("navigation", name="Sections of the studio").get_by_role("link")
    expect(rooms.first).to_be_visible()
    for address in [one.get_attribute("href") for one in rooms.all()]:
        assert address is not None
        views.go(address.removeprefix("#"))
        expect(page.get_by_text("Loading…")).to_have_count(0)
        views.look(f"60-studio-{address.rsplit('/', 1)[-1]}")
    views.go(f"/studio/{AGENT}/tools/todo/versions")
    expect(page.get_by_text("version 1", exact=True).first).to_be_visible()
    views.look("61-studio-versions")
    views.go(f"/studio/{AGENT}/tools/todo")
    expect(page.get_by_role("textbox", name="Code")).to_be_visible()
    views.look("62-studio-tool")
    focus_is_seen(page, 30)
    page.get_by_role("button", name="Edit").click()
    views.look("63-studio-edit")
    assert views.wrong == []
