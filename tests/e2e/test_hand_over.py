"""An agent hands its browser to a person: they log in through its picture in our page, and it goes on."""

import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from agent_contracts import service_names
from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

pytestmark = pytest.mark.browser

PASSWORD = "correct-horse-77-battery"
COOKIE = "sid=5e55-10n-c00k1e"
REASON = "Please log in to the tea shop"
LOGIN = """<title>Log in</title><meta name=viewport content="width=device-width">
<style>body { margin: 0 } form { display: grid; gap: 20px; padding: 20px; max-width: 300px }
input, button { height: 40px; font-size: 20px }</style>
<form action="/in" method="post"><input name="name" placeholder="Name">
<input name="password" type="password" placeholder="Password"><button>Log in</button></form>"""


class Shop(BaseHTTPRequestHandler):
    """A shop that knows whoever sent the right password."""

    def do_GET(self) -> None:
        """The login, or the account of whom it knows."""
        known = COOKIE in (self.headers.get("Cookie") or "")
        self._send("<title>Account</title><h1>Hello, Ada</h1>" if known else LOGIN)

    def do_POST(self) -> None:
        """Log in."""
        sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if f"password={PASSWORD}" not in sent:
            self._send("<title>Wrong</title><p>Wrong password</p>")
            return
        self.send_response(303)
        self.send_header("Set-Cookie", f"{COOKIE}; HttpOnly; Path=/")
        self.send_header("Location", "/")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    """Where it answers."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def script() -> Iterator[ModelServer]:
    with ModelServer({"rules": [{"reply": {"text": "Done."}}]}) as model:
        yield model


@pytest.fixture(scope="module")
def parts(shop: str, script: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A Foldline of processes, whose browser may go to the shop."""
    env = script.environment() | {"FOLDLINE_EGRESS_PRIVATE_HOSTS": shop, "FOLDLINE_ACK_WAIT": "5"}
    with Stack(
        tmp_path_factory.mktemp("handover"), processes=True, replicas={service_names.BROWSER_POOL: 2}, env=env
    ) as stack:
        yield stack


@pytest.fixture(scope="module")
def shop_door(parts: Stack) -> Iterator[Gateway]:
    with parts.gateway() as opened:
        yield opened


@pytest.fixture
def page(browser: Browser, parts: Stack) -> Iterator[Page]:
    """Our own page, signed in."""
    opened = WatchedPage(browser, parts.url)
    opened.page.goto(parts.link)
    yield opened.page
    opened.close()


def asks(model: ModelServer, door: Gateway, shop: str, *more: tuple[str, dict[str, Any]]) -> str:
    """A session whose agent opens the shop and hands it over; then it makes these calls."""
    calls = [
        ("browser_navigate", {"url": f"http://{shop}/"}),
        ("browser_hand_over", {"reason": REASON}),
        ("browser_extract_text", {}),
        *more,
    ]
    turns = [{"tool_calls": [{"name": name, "arguments": given}]} for name, given in calls]
    model.play({"rules": [{"turns": [*turns, {"text": "All done."}]}]})
    return str(door.post("/sessions", {"message": "order tea"}, None)["id"])


def opened(page: Page, parts: Stack, session: str, shop: str) -> Locator:
    """The live view of the session's browser, once there is a picture; its screen."""
    page.goto(f"{parts.url}/#/s/{session}")
    expect(page.get_by_text(REASON).first).to_be_visible()
    page.get_by_role("button", name="Open the browser").click()
    screen = page.get_by_role("application")
    expect(screen.locator("img")).to_be_visible()
    expect(page.locator(".handover-url strong")).to_have_text(shop)  # the host stands apart
    return screen


def ended(door: Gateway, session: str, tool: str) -> dict[str, Any]:
    """The last call of a tool, once it is over."""

    def found() -> dict[str, Any] | None:
        calls = [call for one in messages(door, session) for call in one["tool_calls"]]
        over = [call for call in calls if call["tool"] == tool and call["status"] in ("completed", "failed")]
        return over[-1] if over else None

    result: dict[str, Any] = eventually(found)
    return result


def eventually(ask: Callable[[], Any]) -> Any:
    """Ask until the answer is something, for half a minute; failures are asked again."""
    until = time.monotonic() + 30
    while True:
        try:
            if answer := ask():
                return answer
        except Exception:
            if time.monotonic() > until:
                raise
        assert time.monotonic() < until, "it did not come to be"
        time.sleep(0.2)


def holding(folder: Path, words: str) -> list[Path]:
    """Files of a running Foldline that hold the words."""
    found = []
    for path in folder.rglob("*"):
        try:
            if path.is_file() and words.encode() in path.read_bytes():
                found.append(path)
        except OSError:
            continue
    return found


def click(screen: Locator, x: float, y: float) -> None:
    """Click at a place of the page that the picture shows: 1280 by 800, as large as fits, in the middle."""
    box = screen.bounding_box()
    assert box is not None
    scale = min(box["width"] / 1280, box["height"] / 800)
    left, top = (box["width"] - 1280 * scale) / 2, (box["height"] - 800 * scale) / 2
    screen.click(position={"x": left + x * scale, "y": top + y * scale})


def log_in(page: Page, screen: Locator) -> None:
    """With mouse and keyboard, in the picture."""
    click(screen, 100, 40)
    page.keyboard.type("ada")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("application", name="Account")).to_be_visible()


def test_a_person_logs_in_and_the_agent_goes_on_and_only_a_kept_login_is_there_next_time(
    page: Page, parts: Stack, script: ModelServer, shop_door: Gateway, shop: str, screenshots: Path
) -> None:
    first = asks(script, shop_door, shop)
    screen = opened(page, parts, first, shop)
    page.screenshot(path=str(screenshots / "hand-over.png"))
    log_in(page, screen)
    page.keyboard.press("F6")
    expect(page.get_by_role("button", name="Done", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("All done.", exact=True)).to_be_visible()
    expect(page.get_by_text(f"You gave the browser back at {shop}.")).to_be_visible()
    assert "Hello, Ada" in ended(shop_door, first, "browser_extract_text")["result"]["text"]
    told = ended(shop_door, first, "browser_hand_over")["result"]
    assert told == {"ended": "done", "url": f"http://{shop}/", "title": "Account"}

    second = asks(script, shop_door, shop)
    screen = opened(page, parts, second, shop)
    expect(page.get_by_role("application", name="Log in")).to_be_visible()
    log_in(page, screen)
    page.get_by_label("Keep this login for this agent").check()
    page.get_by_role("button", name="Done", exact=True).click()
    expect(page.get_by_text("The login is kept for this agent.")).to_be_visible()

    third = asks(script, shop_door, shop)
    opened(page, parts, third, shop)
    expect(page.get_by_role("application", name="Account")).to_be_visible()
    page.get_by_role("button", name="I won't").last.click()
    expect(page.get_by_text("You did not want to.")).to_be_visible()

    [agent] = {one["agent_id"] for one in shop_door.get("/sessions")["items"]}
    [login] = shop_door.get(f"/agents/{agent}/site-logins")["items"]
    assert (login["site"], login["session_id"]) == ("127.0.0.1", second)
    assert holding(parts.data_dir, REASON), "what is looked for is found"
    assert holding(parts.data_dir, PASSWORD) == []
    assert holding(parts.data_dir, COOKIE.partition("=")[2]) == []
    assert shop_door.delete(f"/agents/{agent}/site-logins/127.0.0.1")["forgotten"]


def test_a_phone_taps_and_types(
    browser: Browser, parts: Stack, script: ModelServer, shop_door: Gateway, shop: str, screenshots: Path
) -> None:
    session = asks(script, shop_door, shop)
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto(parts.link)
    screen = opened(page, parts, session, shop)
    password = page.get_by_label("Type a password into the page")
    size = screen.bounding_box()
    assert size is not None

    def is_narrow() -> bool:
        shown = screen.locator("img").evaluate("e => e.naturalWidth")
        return bool(shown == round(size["width"] - 2))

    eventually(is_narrow)
    screen.tap(position={"x": 60, "y": 100})
    expect(password).to_be_visible()
    write(password, PASSWORD)
    page.get_by_role("button", name="Type", exact=True).tap()
    page.screenshot(path=str(screenshots / "hand-over-phone.png"))
    page.get_by_role("button", name="Enter", exact=True).tap()
    expect(page.get_by_role("application", name="Account")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Done", exact=True).tap()
    expect(page.get_by_text("All done.", exact=True)).to_be_visible()
    context.close()


@pytest.mark.faults
def test_a_gateway_that_dies_is_waited_for_and_a_pool_that_dies_ends_the_call(
    page: Page, parts: Stack, script: ModelServer, shop_door: Gateway, shop: str
) -> None:
    session = asks(script, shop_door, shop)
    screen = opened(page, parts, session, shop)
    assert parts.kill(service_names.GATEWAY)
    eventually(lambda: shop_door.get(f"/sessions/{session}")["status"] == "waiting_for_input")
    click(screen, 100, 100)
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("application", name="Account")).to_be_visible()
    assert parts.kill(service_names.BROWSER_POOL)
    lost = ended(shop_door, session, "browser_hand_over")["result"]
    assert lost["ended"] == "context_lost"
    expect(page.get_by_text("The browser was lost").first).to_be_visible()
    expect(page.get_by_text("All done.", exact=True)).to_be_visible()
