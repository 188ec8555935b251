"""A call that needs a yes, as a person meets it: shown exactly, and answered in each of the ways."""

import re
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.looks import DESKTOP, PHONE, Look, Looks
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]
LOOKS: list[Look] = [(PHONE, "light"), (PHONE, "dark"), (DESKTOP, "light"), (DESKTOP, "dark")]


class Shop(ThreadingHTTPServer):
    """A page to read, and an address that orders are sent to: `orders` are their bodies."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Counter)
        self.orders: list[str] = []

    @property
    def host(self) -> str:
        """Where it answers."""
        return f"127.0.0.1:{self.server_address[1]}"


class Counter(BaseHTTPRequestHandler):
    """Serves a shop."""

    def do_GET(self) -> None:
        """The page."""
        self._answer("Our teapots cost 12.")

    def do_POST(self) -> None:
        """An order."""
        assert isinstance(self.server, Shop)
        self.server.orders.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self._answer("Thank you.")

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def _answer(self, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with Shop() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def script(host: str) -> dict[str, Any]:
    """It reads the shop's page where it is told to, then orders what it is told to order."""

    def fetch(**more: str) -> dict[str, Any]:
        return {
            "tool_calls": [
                {"name": "fetch_url", "arguments": {"url": f"http://{host}/{more.pop('path')}", **more}}
            ]
        }

    order = fetch(path="orders", method="POST", body="{{ match[1] }}")
    code = f"await fetch('http://{host}/orders/tea?note=' + 'x'.repeat(700), {{ method: 'POST', body: 'x' }})"
    by_code = {"tool_calls": [{"name": "run_sandbox_code", "arguments": {"code": code}}]}
    end = {"text": "That was it."}
    return {
        "rules": [
            {"when": {"user_matches": "^read, then order (.*)$"}, "turns": [fetch(path="tea"), order, end]},
            {"when": {"user_matches": "^order (.*)$"}, "turns": [order, end]},
            {"when": {"user_contains": "by code"}, "turns": [by_code, end]},
            {"reply": {"text": "Hello."}},
        ]
    }


@pytest.fixture(scope="module")
def scripted(shop: Shop) -> Iterator[ModelServer]:
    with ModelServer(script(shop.host)) as server:
        yield server


@pytest.fixture(scope="module")
def own(scripted: ModelServer, shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A Foldline whose agents may reach the shop, with the policy that a newcomer has."""
    env = scripted.environment() | {"FOLDLINE_EGRESS_PRIVATE_HOSTS": shop.host}
    with Stack(tmp_path_factory.mktemp("approvals"), env=env) as started:
        yield started
        every_session_replays(started)


@pytest.fixture
def at_the_door(own: Stack) -> Iterator[Gateway]:
    with own.gateway() as door:
        yield door


@pytest.fixture
def chat(own: Stack, new_page: NewPage, screenshots: Path) -> ChatPage:
    chat = ChatPage(new_page(own.url).page, screenshots)
    chat.open(own.link)
    return chat


def card(page: Page) -> Locator:
    """The call that waits for a yes."""
    return page.get_by_role("article", name=re.compile(r"^Allow .*\?$|Allow it to run again\?$"))


def press(page: Page, words: str) -> None:
    card(page).get_by_role("button", name=words, exact=True).click()


def goes_on(chat: ChatPage) -> None:
    """The card is gone, and the agent has ended its turn."""
    expect(card(chat.page)).to_have_count(0)
    expect(chat.answers.last).to_contain_text("That was it.")
    chat.settled()


def test_it_is_shown_what_would_run_and_why_and_edited_it_runs_as_written(
    chat: ChatPage, shop: Shop, axe: Path, screenshots: Path
) -> None:
    page, before = chat.page, len(shop.orders)
    looks = Looks(page, LOOKS, screenshots, axe)
    chat.say("read, then order two teapots")
    asked = card(page)
    expect(asked).to_contain_text("It sends something out.")
    expect(asked).to_contain_text(f'"url": "http://{shop.host}/orders"')
    expect(asked).to_contain_text('"body": "two teapots"')
    expect(asked).to_contain_text("read text from outside before this: 127.0.0.1")
    expect(asked).to_contain_text("fetch_url: POST to http://127.0.0.1:")
    looks.check("approval")

    # By the keyboard alone; what isn't JSON can't be sent, and says so.
    asked.get_by_role("button", name="Edit", exact=True).focus()
    page.keyboard.press("Enter")
    field = asked.get_by_label("Arguments")
    expect(field).to_be_focused()
    expect(asked.get_by_role("button", name="Allow once")).to_be_enabled()
    written = field.input_value()
    write(field, written[:-1])
    expect(asked.get_by_text("This is not a JSON object.")).to_be_visible()
    expect(asked.get_by_role("button", name="Allow once")).to_be_disabled()
    looks.check("approval-edited")
    write(field, written.replace("two teapots", "one teapot"))
    assert len(shop.orders) == before, "nothing left before the yes"
    asked.get_by_role("button", name="Allow once").focus()
    page.keyboard.press("Enter")
    goes_on(chat)
    assert shop.orders[before:] == ["one teapot"]

    # The next like it says what is different. It waits through a reload.
    chat.say("order three teapots")
    expect(card(page)).to_contain_text("Differences from the last call that you allowed")
    page.reload()
    card(page).get_by_text("Differences from the last call that you allowed").click()
    looks.check("approval-again")
    press(page, "Allow once")
    goes_on(chat)
    assert shop.orders[before:] == ["one teapot", "three teapots"]


def test_what_code_wants_to_send_is_shown_with_its_path_and_query(
    chat: ChatPage, shop: Shop, axe: Path, screenshots: Path
) -> None:
    chat.say("do it by code")
    asked = chat.page.get_by_role("article", name=re.compile("was stopped. Allow it to run again"))
    wants = asked.get_by_role("group", name="The request that it wants to send")
    expect(wants).to_have_text(f"POST http://{shop.host}/orders/tea\n?note={'x' * 495}…")
    expect(asked).to_contain_text("The query has 705 characters; the first 500 are shown.")
    Looks(chat.page, LOOKS, screenshots, axe).check("approval-of-a-request")
    asked.get_by_role("button", name="Refuse", exact=True).click()
    asked.get_by_role("button", name="Refuse it").click()
    expect(chat.answers.last).to_contain_text("That was it.")
    assert [one for one in shop.orders if one == "x"] == []


def test_a_refusal_has_a_reason_that_the_model_reads(
    chat: ChatPage, shop: Shop, scripted: ModelServer, axe: Path, screenshots: Path
) -> None:
    page, before = chat.page, len(shop.orders)
    chat.say("order a samovar")
    press(page, "Refuse")
    why = card(page).get_by_label("Why you refuse")
    expect(why).to_be_focused()
    page.keyboard.type("We have one")
    Looks(page, LOOKS, screenshots, axe).check("approval-refusing")
    page.keyboard.press("Enter")
    goes_on(chat)
    read = scripted.recording.requests[-1].body["messages"][-1]
    assert "We have one" in str(read)
    assert shop.orders[before:] == []
    expect(chat.cards.last).to_contain_text("refused")
    Looks(page, LOOKS[:1], screenshots, axe).check("approval-refused")


def test_what_is_answered_elsewhere_is_answered_here(
    own: Stack, new_page: NewPage, shop: Shop, screenshots: Path
) -> None:
    watched, before = new_page(own.url), len(shop.orders)
    chat = ChatPage(watched.page, screenshots)
    chat.open(own.link)
    chat.say("order a cup")
    expect(card(chat.page)).to_be_visible()
    press(chat.page, "Edit")
    other = ChatPage(watched.another(), screenshots)
    other.open(chat.page.url)
    press(other.page, "Allow once")
    goes_on(other)
    goes_on(chat)
    assert shop.orders[before:] == ["a cup"]


def test_allowed_for_the_session_and_always_it_asks_no_more(
    chat: ChatPage, at_the_door: Gateway, shop: Shop, own: Stack
) -> None:
    page, before = chat.page, len(shop.orders)
    chat.say("order tea")
    press(page, "For this chat")
    goes_on(chat)
    chat.say("order milk")
    expect(chat.answers).to_have_count(2)
    goes_on(chat)
    assert shop.orders[before:] == ["tea", "milk"]
    chat.open(own.url)
    chat.say("order sugar")
    press(page, "Always")
    goes_on(chat)
    [rule] = at_the_door.get("/agents/default/policy")["rules"]
    host = rule["match"]["host"].partition(":")[0]
    assert (rule["verdict"], host, rule["match"]["method"]) == ("allow", "127.0.0.1", "POST")
    chat.open(own.url)
    chat.say("order salt")
    goes_on(chat)
    assert shop.orders[before:] == ["tea", "milk", "sugar", "salt"]
    at_the_door.put("/agents/default/policy", {"preset": "balanced", "rules": []})


def test_it_is_judged_from_the_inbox(
    chat: ChatPage, at_the_door: Gateway, shop: Shop, own: Stack, axe: Path, screenshots: Path
) -> None:
    page, before = chat.page, len(shop.orders)
    session = at_the_door.post("/sessions", {"message": "order a kettle", "title": "A kettle"})["id"]
    page.goto(f"{own.url}/#/inbox")
    row = page.get_by_role("main").get_by_role("listitem").filter(has_text="A kettle")
    expect(row).to_contain_text(f"POST http://{shop.host}/orders")
    row.get_by_role("button", name="Review: A kettle").focus()
    page.keyboard.press("Enter")
    expect(card(page)).to_contain_text('"body": "a kettle"')
    Looks(page, LOOKS, screenshots, axe).check("approval-inbox")
    assert len(shop.orders) == before
    press(page, "Allow once")
    expect(row).to_have_count(0)
    expect(page.get_by_text("Nothing waits for you.")).to_be_visible()
    chat.open(f"{own.url}/#/s/{session}")
    goes_on(chat)
    assert shop.orders[before:] == ["a kettle"]


@pytest.mark.parametrize("width", [1280, 390])
def test_always_in_the_inbox_releases_all_that_wait_for_the_same(
    chat: ChatPage, at_the_door: Gateway, shop: Shop, own: Stack, width: int
) -> None:
    page, before = chat.page, len(shop.orders)
    page.set_viewport_size({"width": width, "height": 800})
    cups = [f"cup {n}" for n in range(5)]
    for cup in cups:
        at_the_door.post("/sessions", {"message": f"order {cup}", "title": f"A {cup}"})
    page.goto(f"{own.url}/#/inbox")
    rows = page.get_by_role("main").get_by_role("listitem").filter(has_text=re.compile(r"A cup \d"))
    expect(rows).to_have_count(len(cups))
    rows.first.get_by_role("button", name=re.compile("^Review: A cup")).focus()
    page.keyboard.press("Enter")
    expect(card(page)).to_contain_text("Always also allows the other calls of the agent")
    chat.shot(f"always-before-{width}")
    press(page, "Always")
    expect(page.get_by_text("Nothing waits for you.")).to_be_visible()
    chat.shot(f"always-after-{width}")
    deadline = time.monotonic() + 30
    while sorted(shop.orders[before:]) != cups:
        assert time.monotonic() < deadline, shop.orders[before:]
        time.sleep(0.1)
    at_the_door.put("/agents/default/policy", {"preset": "balanced", "rules": []})


def test_what_left_stands_in_the_studio(
    chat: ChatPage, at_the_door: Gateway, shop: Shop, own: Stack, axe: Path, screenshots: Path
) -> None:
    at_the_door.put("/agents/default/policy", {"preset": "free", "rules": []})
    page = chat.page
    chat.open(own.link)
    chat.say("order twelve saucers")
    chat.settled()
    at_the_door.put("/agents/default/policy", {"preset": "balanced", "rules": []})
    page.goto(f"{own.url}/#/studio/default/egress")
    left = page.get_by_role("region", name="What left")
    newest = left.get_by_role("listitem").first
    expect(newest).to_contain_text("POST 127.0.0.1/orders")
    expect(newest).to_contain_text("Sent · 200")
    Looks(page, LOOKS, screenshots, axe).check("studio-egress")
    with page.expect_download() as saved:
        left.get_by_role("button", name="Save as JSONL").click()
    first = Path(saved.value.path()).read_text().splitlines()[0]
    assert '"host":"127.0.0.1"' in first
    left.get_by_label("Outcome").select_option("blocked")
    expect(left).to_contain_text("Nothing fits.")
    left.get_by_label("Outcome").select_option("sent")
    newest.get_by_role("link").click()
    expect(page).to_have_url(re.compile("/history/|/s/.*/history|history"))


def test_a_policy_is_written_in_the_studio_after_it_was_tried_on_past_calls(
    chat: ChatPage, at_the_door: Gateway, own: Stack, axe: Path, screenshots: Path
) -> None:
    at_the_door.put("/agents/default/policy", {"preset": "free", "rules": []})
    page = chat.page
    chat.open(own.link)
    chat.say("order twelve saucers")
    chat.settled()
    at_the_door.put("/agents/default/policy", {"preset": "balanced", "rules": []})
    page.goto(f"{own.url}/#/studio/default/policy")
    room = page.get_by_role("form", name="Policy")
    room.get_by_role("button", name="Add a rule").click()
    rule = room.get_by_role("listitem", name="Rule 1")
    rule.get_by_label("Rule 1", exact=True).select_option("deny")
    rule.get_by_label("One more condition of rule 1").select_option("host")
    write(rule.get_by_label("Host", exact=True), "127.0.0.*")
    room.get_by_role("button", name="Test on past calls").click()
    expect(room.get_by_text("Ask me → Never").first).to_be_visible()
    Looks(page, LOOKS, screenshots, axe).check("studio-policy")
    room.get_by_role("button", name="Save").click()
    expect(room.get_by_role("button", name="Save")).to_be_disabled()
    kept = at_the_door.get("/agents/default/policy")
    assert [one["match"]["host"] for one in kept["rules"]] == ["127.0.0.*"]
    at_the_door.put("/agents/default/policy", {"preset": "balanced", "rules": []})
    expect(room.get_by_role("listitem", name="Rule 1")).to_have_count(0)
    versions = page.get_by_role("region", name="Versions of the policy")
    versions.get_by_role("button", name=re.compile(f"^Revert to {kept['version']} ")).click()
    expect(room.get_by_role("listitem", name="Rule 1")).to_be_visible()
    at_the_door.put("/agents/default/policy", {"preset": "balanced", "rules": []})


ORDER_FORM = """export default function OrderForm() {
  const [said, setSaid] = useState("nothing");
  const failed = (error) => setSaid(error.message);
  const order = () => callBackend("order", {}).then(() => setSaid("ordered"), failed);
  return <><Button onClick={order}>Order</Button><p>It says {said}</p></>;
}
"""


def test_what_a_pages_function_sends_is_asked_of_the_person_before_it(
    new_page: NewPage, at_the_door: Gateway, shop: Shop, own: Stack, axe: Path, screenshots: Path
) -> None:
    code = f"await fetch('http://{shop.host}/orders', {{ method: 'POST', body: 'a page' }}); return 1"
    function = {"description": "Orders.", "parameter_schema": {"type": "object"}, "code": code}
    at_the_door.put("/agents/default/functions/order", function)
    at_the_door.put("/agents/default/components/OrderForm", {"description": "Order.", "code": ORDER_FORM})
    watched, before = new_page(own.url), len(shop.orders)
    page = watched.page
    ChatPage(page, screenshots).open(own.link)
    page.goto(f"{own.url}/#/pages/default/OrderForm")
    inside = page.frame_locator("iframe.page-frame")
    asks = page.get_by_role("alertdialog", name="The page wants to send something")
    inside.get_by_role("button", name="Order").click()
    expect(asks).to_contain_text("POST http://127.0.0.1:")
    Looks(page, LOOKS, screenshots, axe).check("page-asks")
    asks.get_by_role("button", name="Refuse").click()
    expect(inside.get_by_text("It says The user didn't allow it")).to_be_visible()
    assert len(shop.orders) == before
    inside.get_by_role("button", name="Order").click()
    asks.get_by_role("button", name="Allow once").click()
    expect(inside.get_by_text("It says ordered")).to_be_visible()
    inside.get_by_role("button", name="Order").click()
    asks.get_by_role("button", name="Always").click()
    expect(asks).to_have_count(0)
    expect(inside.get_by_text("It says ordered")).to_be_visible()
    inside.get_by_role("button", name="Order").click()
    [rule] = at_the_door.get("/agents/default/policy")["rules"]
    assert (rule["verdict"], rule["match"]["tool"], rule["match"]["method"]) == ("allow", "order", "POST")
    deadline = time.monotonic() + 30
    while len(shop.orders) < before + 3:
        assert time.monotonic() < deadline, shop.orders
        time.sleep(0.1)
    assert set(shop.orders[before:]) == {"a page"}
    for allow in (
        {"tool": "order"},
        {"tool": "*", "host": "*", "method": "POST"},
        {"tool": "order", "host": "*"},
    ):
        with pytest.raises(Rejected, match="one host and one method"):
            at_the_door.post("/agents/default/functions/order:invoke", {"arguments": {}, "allow": allow})
    at_the_door.put("/agents/default/policy", {"preset": "balanced", "rules": []})
    watched.forgive("403")
