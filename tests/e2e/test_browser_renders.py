"""What an agent puts before a person and waits on: blocks in the chat, components in the canvas beside it."""

import concurrent.futures
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from foldline.cli.client import Gateway
from foldline_testing.product.booking import FORM
from foldline_testing.product.browser import WatchedPage, keep_look
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.looks import Looks
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

pytestmark = pytest.mark.browser

AGENT = "renders"
LOOKS: tuple[tuple[int, Any], ...] = (
    (390, "light"),
    (390, "dark"),
    (1024, "light"),
    (1024, "dark"),
    (1440, "light"),
    (1440, "dark"),
)
PIXEL = (
    "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHdpZHRoPSIyNDAiIGhlaWdodD0iODAi"
    "PjxyZWN0IHdpZHRoPSIyNDAiIGhlaWdodD0iODAiIGZpbGw9IiM0NDU3ZDYiLz48L3N2Zz4="
)
CITIES = [{"city": f"City {n:03d}", "people": n * 37 % 101} for n in range(120)]
BLOCKS: list[dict[str, Any]] = [
    {"type": "markdown", "content": "Three **offers** for your trip, and what they cost."},
    {
        "type": "table",
        "columns": [{"key": "city", "label": "City"}, {"key": "people", "label": "People (k)"}],
        "data": CITIES,
    },
    *(
        {
            "type": "chart",
            "chartType": kind,
            "data": {
                "labels": ["May", "June", "July"],
                "datasets": [{"label": f"Cost as {kind}", "data": [420, 510, 380]}],
            },
        }
        for kind in ("line", "bar", "pie", "area")
    ),
    {"type": "code", "language": "python", "content": "total = sum(costs)\nprint(total)"},
    {"type": "image", "url": PIXEL, "alt": "A blue strip"},
    {"type": "alert", "variant": "warning", "content": "Prices change **daily**."},
    {"type": "json", "data": {"offer": {"id": 7, "open": True, "tags": ["sea", None]}}},
    FORM,
]
TALLY = """export default function Tally({ unit = "pieces" }) {
  const [count, setCount] = useAgentState("tally", 0);
  const { twice } = importModule("sums");
  return (
    <Card title="Tally">
      <p>{count} {unit}, twice that is {twice(count)}</p>
      <Stack direction="horizontal" gap={2}>
        <Button onClick={() => setCount((before) => before + 1)}>One more</Button>
        <Button variant="secondary" onClick={() => callTool("counted", { count })}>That's all</Button>
      </Stack>
    </Card>
  );
}
"""
SUMS = {"name": "sums", "description": "Sums.", "code": "exports.twice = (n) => require('base').times(2, n);"}
BASE = {"name": "base", "description": "Times.", "code": "module.exports = { times: (a, b) => a * b };"}
THROWS = """export default function Wheel() {
  const [on, setOn] = useState(false);
  if (on) {
    throw new TypeError("the wheel came off");
  }
  return <Button onClick={() => setOn(true)}>Turn</Button>;
}
"""
FLOODS = """export default function Flood() {
  const flood = () => setInterval(() => {
    for (let n = 0; n < 100; n += 1) parent.postMessage('{"kind":"alive"}', "*");
  }, 10);
  return <Button onClick={flood}>Flood</Button>;
}
"""
LEAKS = """const tried = (attempt) => {
  try { return "did " + attempt(); } catch (error) { return error.name; }
};
export default () => <ul>
  <li>cookie {tried(() => document.cookie)}</li>
  <li>parent {tried(() => parent.document.title)}</li>
  <li>address {tried(() => parent.location.href)}</li>
  <li>storage {tried(() => localStorage.length)}</li>
</ul>;
"""


TAPS = """export default function Taps({ word }) {
  const [taps, setTaps] = useAgentState("taps", 0);
  return (
    <Stack direction="horizontal" gap={2}>
      <p>{word}: {taps} taps</p>
      <Button onClick={() => setTaps((before) => before + 1)}>Tap</Button>
      <Button variant="secondary" onClick={() => callTool("tapped", { taps })}>Enough</Button>
    </Stack>
  );
}
"""


def rule(words: str, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A message with these words makes the model call tools, one after another."""
    turns = [{"tool_calls": [{"name": name, "arguments": arguments}]} for name, arguments in calls]
    return {"when": {"user_contains": words}, "turns": [*turns, {"text": "Thank you."}]}


def shown(**arguments: Any) -> tuple[str, dict[str, Any]]:
    return "render_and_wait", arguments


SCRIPT = {
    "rules": [
        rule("show all", ("render_blocks", {"blocks": BLOCKS, "title": "Your trip"})),
        rule("show a form", ("render_blocks", {"blocks": [FORM], "title": "Book"})),
        rule(
            "make the tally",
            ("create_library", SUMS),
            ("create_library", BASE),
            ("create_ui_component", {"name": "Tally", "description": "Counts.", "code": TALLY}),
            shown(component="Tally", props={"unit": "apples"}, title="Count them"),
        ),
        rule("count again", shown(component="Tally", props={"unit": "pears"})),
        rule("tap along", shown(code=TAPS, props={"word": "So far"}, title="Tap along")),
        rule("spin", shown(code=THROWS, title="The wheel")),
        rule("flood", shown(code=FLOODS)),
        rule("leak", shown(code=LEAKS)),
        rule("bad", shown(code="export default (")),
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


@pytest.fixture(scope="module")
def agent(stack: Stack, door: Gateway) -> str:
    """An agent of this module's own."""
    door.post("/agents", {"id": AGENT, "name": "Renders"})
    return AGENT


@pytest.fixture
def session(door: Gateway, agent: str) -> str:
    """A session of it, in which nothing was said."""
    return str(door.post("/sessions", {"agent_id": agent, "token_limit": 10_000_000})["id"])


@pytest.fixture
def watched(stack: Stack, new_page: Any, session: str) -> WatchedPage:
    """The session's chat, wide."""
    opened: WatchedPage = new_page(stack.url, width=1440)
    opened.page.goto(stack.link)
    opened.page.goto(f"{stack.url}/#/s/{session}")
    return opened


@pytest.fixture
def chat(watched: WatchedPage, screenshots: Path) -> ChatPage:
    """The same, as a person uses it."""
    opened = ChatPage(watched.page, screenshots)
    expect(opened.composer).to_be_visible()
    return opened


@pytest.fixture
def looks(chat: ChatPage, screenshots: Path, axe: Path) -> Looks:
    """The widths and colours that the chat must hold up to."""
    return Looks(chat.page, LOOKS, screenshots, axe)


def results(door: Gateway, session: str) -> list[Any]:
    """What the session's renders were answered."""
    events = door.get(f"/sessions/{session}/events")["items"]
    return [e["body"]["response"] for e in events if e["type"].endswith("tool_response.v1")]


def pending(door: Gateway, session: str) -> str:
    """The call that waits; what is seen live may be ahead of what can be read."""
    deadline = time.monotonic() + 60
    while not (waiting := door.get(f"/sessions/{session}")["open_calls"]):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return str(waiting[0]["call_id"])


def answer(stack: Stack, session: str, call_id: str, response: Any) -> httpx.Response:
    """As another program would answer."""
    with httpx.Client(base_url=stack.url, headers={"Authorization": f"Bearer {stack.token}"}) as client:
        path = f"/api/v1/sessions/{session}/tool-responses"
        return client.post(path, json={"call_id": call_id, "response": response}, timeout=60)


def frame(page: Page) -> Any:
    return page.frame_locator("iframe.page-frame")


def canvas(page: Page) -> Any:
    return page.locator(".canvas")


def test_all_blocks_are_drawn_and_a_form_says_what_is_wrong_with_it(
    chat: ChatPage, stack: Stack, door: Gateway, session: str, looks: Looks
) -> None:
    page = chat.page
    chat.say("show all")
    card = page.get_by_role("article", name="Your trip")
    expect(card.locator("canvas")).to_have_count(4)
    expect(card.get_by_text("Three offers")).to_be_visible()
    expect(card.get_by_role("img", name="A blue strip")).to_be_visible()
    expect(card.get_by_role("note")).to_contain_text("Prices change daily.")
    expect(card.get_by_text("total = sum(costs)")).to_be_visible()
    expect(card.get_by_text('"sea"')).to_be_hidden()
    card.get_by_text("tags:").click()
    expect(card.get_by_text('"sea"')).to_be_visible()

    cells = card.locator(".block-table tbody td:nth-child(2)")
    expect(card.get_by_text("Rows 1–50 of 120")).to_be_visible()
    card.get_by_role("button", name="People (k)").click()
    expect(cells.first).to_have_text("0")
    card.get_by_role("button", name="People (k)").click()
    expect(cells.first).to_have_text("100")
    with page.expect_download() as saved:
        card.get_by_role("button", name="Save as CSV").click()
    lines = Path(saved.value.path()).read_text(encoding="utf-8-sig").splitlines()
    assert lines[:2] == ["City,People (k)", "City 030,100"]
    assert len(lines) == 121

    card.get_by_role("button", name="Book").click()
    expect(card.get_by_text("Fill this in.")).to_have_count(2)
    expect(card.get_by_text("This must be ticked.")).to_be_visible()
    expect(card.get_by_label("Who travels")).to_be_focused()
    write(card.get_by_label("Who travels"), "Ada")
    write(card.get_by_label("Nights"), "three")
    card.get_by_label("I agree").check()
    card.get_by_role("button", name="Book").click()
    expect(card.get_by_text("Write a number, such as 2.5.")).to_be_visible()
    looks.check("blocks")

    call = pending(door, session)
    for wrong, path in (
        ({"who": "Ada"}, "/data/nights"),
        ({"who": "Ada", "nights": "3", "agree": True}, "/data/nights"),
        ({"who": "Ada", "nights": 3, "agree": True, "more": 1}, "/data/more"),
    ):
        refused = answer(stack, session, call, {"action": "submit", "data": wrong})
        assert (refused.status_code, refused.json()["path"]) == (422, path)
    assert door.get(f"/sessions/{session}")["status"] == "waiting_for_input"

    write(card.get_by_label("Nights"), "3")
    card.get_by_label("Room").select_option("double")
    card.get_by_label("From").focus()
    chat.page.keyboard.type("07312026")  # a date field takes months, days and years as one writes them here
    card.get_by_role("button", name="Book").click()
    expect(card.get_by_text("Submitted")).to_be_visible()
    expect(chat.answers.last).to_contain_text("Thank you.")
    data = {"who": "Ada", "nights": 3, "room": "double", "from": "2026-07-31", "agree": True}
    assert results(door, session) == [{"action": "submit", "data": data}]
    page.reload()
    expect(card.get_by_label("Nights")).to_have_value("3")
    expect(card.get_by_label("Nights")).to_be_disabled()
    assert answer(stack, session, call, {"action": "dismiss"}).status_code == 409
    chat.shot("blocks-submitted")

    events = door.get(f"/sessions/{session}/events", limit=200)["items"]
    answered = next(one for one in events if one["type"] == "foldline.session.tool_response.v1")
    page.goto(f"{stack.url}/#/s/{session}/history/{answered['sequence'] - 1}")
    expect(card.locator("canvas")).to_have_count(4)
    expect(card.get_by_label("Who travels")).to_have_value("")
    expect(card.get_by_role("button", name="Book")).to_be_disabled()
    expect(card.get_by_text("Submitted")).to_have_count(0)
    looks.check("blocks-in-history")
    page.goto(f"{stack.url}/#/s/{session}/history")
    expect(card.get_by_text("Submitted")).to_be_visible()
    expect(card.get_by_label("Nights")).to_have_value("3")


def test_a_component_writes_state_seen_in_another_tab_and_answers_once(
    chat: ChatPage, watched: WatchedPage, stack: Stack, door: Gateway, session: str, looks: Looks
) -> None:
    page = chat.page
    chat.say("make the tally")
    expect(frame(page).get_by_text("0 apples, twice that is 0")).to_be_visible()
    expect(canvas(page).get_by_role("heading", name="Count them")).to_be_visible()
    looks.check("canvas")

    other = watched.another()
    other.goto(f"{stack.url}/#/s/{session}")
    expect(frame(other).get_by_text("0 apples")).to_be_visible()
    frame(page).get_by_role("button", name="One more").click()
    expect(frame(other).get_by_text("1 apples, twice that is 2")).to_be_visible()

    # Changed while the old version waits: what waits stays as it was.
    written = door.get(f"/agents/{AGENT}/components/Tally")["definition"]
    changed = written["code"].replace("twice that is", "doubled:")
    door.put(f"/agents/{AGENT}/components/Tally", {"description": "Counts.", "code": changed})
    page.reload()
    expect(frame(page).get_by_text("1 apples, twice that is 2")).to_be_visible()
    expect(canvas(page).get_by_text("version 1")).to_be_visible()

    frame(page).get_by_role("button", name="That's all").click()
    expect(canvas(page)).to_be_hidden()
    expect(canvas(other)).to_be_hidden()
    for one in (page, other):
        expect(one.locator(".render-card")).to_contain_text('counted{"count":1}')
    assert results(door, session) == [{"action": "counted", "count": 1}]
    page.locator(".render-card").get_by_role("button", name="Show").click()
    expect(frame(page).get_by_text("1 apples, twice that is 2")).to_be_visible()
    canvas(page).get_by_role("button", name="Close the canvas").click()

    chat.say("count again")
    expect(frame(page).get_by_text("1 pears, doubled: 2")).to_be_visible()
    canvas(page).get_by_role("button", name="Dismiss").click()
    expect(page.locator(".render-card").last).to_contain_text("Dismissed")
    chat.settled()

    # In the history it is drawn as it was when it was shown, and nothing done there has an effect.
    events = len(door.get(f"/sessions/{session}/events", limit=200)["items"])
    page.goto(f"{stack.url}/#/s/{session}/history")
    then = page.get_by_role("article", name="Component Count them")
    expect(then).to_contain_text('counted{"count":1}')
    then.get_by_role("button", name="Show").click()
    expect(frame(page).get_by_text("0 apples, twice that is 0")).to_be_visible()
    frame(page).get_by_role("button", name="One more").click()
    frame(page).get_by_role("button", name="That's all").click()
    expect(frame(page).get_by_text("0 apples, twice that is 0")).to_be_visible()
    looks.check("canvas-in-history")
    then.get_by_role("button", name="Hide").click()
    later = page.get_by_role("article", name="Component Tally")
    later.get_by_role("button", name="Show").click()
    expect(frame(page).get_by_text("1 pears, doubled: 2")).to_be_visible()
    expect(page.get_by_role("alert", name="Error of the page")).to_have_count(0)
    assert door.get(f"/agents/{AGENT}/state/tally")["value"] == 1
    assert len(door.get(f"/sessions/{session}/events", limit=200)["items"]) == events
    watched.forgive("404")  # a key of the state, read before there was one


def test_code_shown_once_writes_state_seen_in_another_tab_and_answers(
    chat: ChatPage, watched: WatchedPage, stack: Stack, door: Gateway, session: str
) -> None:
    page = chat.page
    chat.say("tap along")
    expect(frame(page).get_by_text("So far: 0 taps")).to_be_visible()
    other = watched.another()
    other.goto(f"{stack.url}/#/s/{session}")
    frame(page).get_by_role("button", name="Tap").click()
    expect(frame(other).get_by_text("So far: 1 taps")).to_be_visible()
    frame(other).get_by_role("button", name="Tap").click()
    expect(frame(page).get_by_text("So far: 2 taps")).to_be_visible()
    frame(page).get_by_role("button", name="Enough").click()
    expect(canvas(other)).to_be_hidden()
    chat.settled()
    assert results(door, session) == [{"action": "tapped", "taps": 2}]
    assert door.get(f"/agents/{AGENT}/state/taps")["value"] == 2
    watched.forgive("404")  # a key of the state, read before there was one


def test_of_two_that_answer_at_once_one_is_taken(
    stack: Stack, door: Gateway, chat: ChatPage, session: str
) -> None:
    chat.say("show a form")
    expect(chat.page.get_by_role("button", name="Book")).to_be_visible()
    call = pending(door, session)
    data = {"who": "Ada", "nights": 1, "agree": True}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        sent = [
            pool.submit(answer, stack, session, call, {"action": "submit", "data": {**data, "nights": n}})
            for n in range(4)
        ]
        statuses = sorted(one.result().status_code for one in sent)
    assert statuses == [202, 409, 409, 409]
    expect(chat.page.get_by_text("Submitted")).to_be_visible()
    assert len(results(door, session)) == 1


def test_what_a_component_throws_is_shown_with_its_line(
    chat: ChatPage, watched: WatchedPage, door: Gateway, session: str, screenshots: Path
) -> None:
    page = chat.page
    chat.say("spin")
    frame(page).get_by_role("button", name="Turn").click()
    report = page.get_by_role("alert", name="Error of the page")
    expect(report).to_contain_text("TypeError: the wheel came off at line 4")
    expect(report.locator("[aria-current=location]")).to_contain_text('throw new TypeError("the wheel')
    keep_look(page, screenshots / "canvas-error.png")
    report.get_by_role("button", name="Send error to the agent").click()
    expect(chat.said.last).to_contain_text('Your component "The wheel" threw an error (line 4)')
    report.get_by_role("button", name="Dismiss").click()
    expect(report).to_be_hidden()
    watched.forgive("the wheel came off")
    canvas(page).get_by_role("button", name="Dismiss").click()
    expect(canvas(page)).to_be_hidden()


def test_a_component_that_floods_is_stopped_and_the_shell_goes_on(
    chat: ChatPage, door: Gateway, session: str
) -> None:
    page = chat.page
    chat.say("flood")
    frame(page).get_by_role("button", name="Flood").click()
    expect(page.get_by_role("alert").filter(has_text="The page was stopped.")).to_be_visible()
    answered_in: float = page.evaluate(
        """async () => {
          const began = performance.now();
          document.querySelector(".canvas-maximise").click();
          await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
          return performance.now() - began;
        }"""
    )
    assert answered_in < 100
    page.get_by_role("button", name="Maximise the canvas").click()
    canvas(page).get_by_role("button", name="Dismiss").click()
    expect(canvas(page)).to_be_hidden()
    assert results(door, session) == [{"action": "dismiss"}]


def test_a_component_reads_neither_token_nor_shell_nor_other_frames(chat: ChatPage) -> None:
    chat.say("leak")
    items = frame(chat.page).get_by_role("listitem")
    expect(items).to_have_count(4)
    assert items.all_inner_texts() == [
        "cookie SecurityError",
        "parent SecurityError",
        "address SecurityError",
        "storage SecurityError",
    ]
    canvas(chat.page).get_by_role("button", name="Dismiss").click()


def test_the_canvas_is_as_wide_as_the_person_made_it(chat: ChatPage, watched: WatchedPage) -> None:
    page = chat.page
    chat.say("leak")
    box = canvas(page)
    expect(box).to_be_visible()
    divider = page.get_by_role("separator")
    before = box.bounding_box()["width"]
    divider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    wide = box.bounding_box()["width"]
    assert wide > before + 50
    grip = divider.bounding_box()
    assert grip
    page.mouse.move(grip["x"], 300)
    page.mouse.down()
    page.mouse.move(grip["x"] - 60, 300, steps=4)
    page.mouse.up()
    wider = box.bounding_box()["width"]
    assert wider > wide + 40
    page.reload()
    expect(box).to_be_visible()
    assert abs(box.bounding_box()["width"] - wider) < 12
    page.get_by_role("button", name="Maximise the canvas").click()
    expect(chat.composer).to_be_hidden()
    page.reload()
    expect(box).to_be_visible()
    expect(chat.composer).to_be_hidden()
    page.get_by_role("button", name="Maximise the canvas").click()
    expect(chat.composer).to_be_visible()

    page.set_viewport_size({"width": 380, "height": 760})
    sheet = box.bounding_box()
    assert (sheet["x"], sheet["width"]) == (0, 380)
    box.get_by_role("button", name="Close the canvas").focus()
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    page.locator(".render-card").get_by_role("button", name="Open").click()
    expect(box).to_be_visible()
    box.get_by_role("button", name="Dismiss").click()
    expect(chat.answers.last).to_contain_text("Thank you.")


def test_code_that_doesnt_parse_never_pauses(chat: ChatPage, door: Gateway, session: str) -> None:
    chat.say("bad")
    expect(chat.answers.last).to_contain_text("Thank you.")
    events = door.get(f"/sessions/{session}/events")["items"]
    [failed] = [e["body"] for e in events if e["type"].endswith("tool_call_failed.v1")]
    assert (failed["error"]["kind"], failed["error"]["path"]) == ("invalid_arguments", "/code")
    assert not [e for e in events if "tool_call_pending" in e["type"]]
