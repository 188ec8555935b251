"""Apps of foreign servers (SEP-1865) in a chat: drawn with their call, kept in, and gone through a person."""

import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Frame, FrameLocator, Locator, Page, expect

from agent_contracts import service_names
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.mcp_host.addressed import Addressed, addressed
from foldline_testing.mcp_host.servers.apps import with_apps
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.looks import DESKTOP, PHONE, Look, Looks
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack
from foldline_testing.product.studio_page import opened, settled

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]
AXE = Path(__file__).parents[2] / "services/ui/node_modules/axe-core/axe.min.js"
SERVER = "/agents/default/mcp-servers/apps"
TABLET = 820
EVERY_LOOK: list[Look] = [(w, c) for w in (PHONE, TABLET, DESKTOP) for c in ("light", "dark")]


class Listener(ThreadingHTTPServer):
    """Notes each request that reaches it."""

    def __init__(self) -> None:
        self.arrived: list[str] = []
        arrived = self.arrived

        class Notes(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                arrived.append(self.path)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Notes)


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    with Listener() as listener:
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        yield listener
        listener.shutdown()


@pytest.fixture(scope="module")
def script() -> Iterator[ModelServer]:
    with ModelServer({"rules": [{"reply": {"text": "Done."}}]}) as model:
        yield model


PAGES: dict[str, str] = {}
"""What the server has in place of its apps' pages."""


@pytest.fixture(scope="module")
def here(listener: Listener) -> Iterator[Addressed]:
    with addressed(with_apps(f"http://127.0.0.1:{listener.server_port}", PAGES)) as here:
        yield here


@pytest.fixture(scope="module")
def stack(script: ModelServer, here: Addressed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with Stack(tmp_path_factory.mktemp("mcp-apps"), processes=True, env=script.environment()) as stack:
        with stack.gateway() as door:
            door.put("/agents/default/policy", {"preset": "free", "rules": []})
            accepted(door, here)
        yield stack


def accepted(door: Gateway, here: Addressed) -> None:
    """The server is added, and all that it lists accepted."""
    door.put(SERVER, {"transport": {"kind": "http", "url": here.url}})
    door.post(f"{SERVER}:allow", {"private": True})
    door.post(f"{SERVER}:test", {})
    door.post(f"{SERVER}:accept", {"version": door.get(f"{SERVER}/tools")["version"]})


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def called(door: Gateway, script: ModelServer, tool: str, **given: object) -> str:
    """A session in which the tool was called."""
    call = {"tool_calls": [{"name": f"apps__{tool}", "arguments": given}]}
    script.play({"rules": [{"turns": [call, {"text": "There it is."}]}]})
    turn = ChatTurn(door, None)
    turn.say("go on")
    list(turn.pieces())
    return turn.session_id


def shown(stack: Stack, page: Page, session: str) -> tuple[Locator, FrameLocator]:
    """The app in the chat, and what is in its frame."""
    opened(stack, page, "default")
    page.goto(f"{stack.url}/#/s/{session}")
    app = page.get_by_role("region", name="App of the MCP server apps")
    return app, app.frame_locator("iframe")


def test_an_app_shows_its_calls_result_and_speaks_through_the_person(
    stack: Stack, script: ModelServer, here: Addressed, new_page: NewPage, screenshots: Path
) -> None:
    watched = new_page(stack.url)
    page = watched.page
    with stack.gateway() as door:
        session = called(door, script, "weather", city="Oslo")
        reads = here.methods.count("resources/read")
        app, frame = shown(stack, page, session)
        expect(frame.locator("#shown")).to_have_text("Oslo: 4 degrees, light")
        Looks(page, [(DESKTOP, "light"), (PHONE, "dark")], screenshots, AXE).check("mcp-app")
        frame.get_by_role("button", name="Open it").click()
        asked = app.get_by_role("alertdialog", name="The app wants to open an address")
        expect(asked).to_contain_text("https://weather.example.org/oslo")
        asked.get_by_role("button", name="Don't").click()
        expect(frame.locator("#answer")).to_contain_text("The user did not agree.")
        assert len(page.context.pages) == 1
        frame.get_by_role("button", name="Say it").click()
        wish = app.get_by_role("alertdialog", name="The app wants to say something")
        expect(wish).to_contain_text("Warmer places?")
        assert [one["text"] for one in messages(door, session) if one["role"] == "user"] == ["go on"]
        script.play({"rules": [{"reply": {"text": "Warmer."}}]})
        wish.get_by_role("button", name="Send").click()
        expect(page.get_by_text("Warmer.", exact=True)).to_be_visible()
        said = [one["text"] for one in messages(door, session) if one["role"] == "user"]
        assert said == ["go on", "Warmer places?"]
        door.delete(SERVER)
        page.reload()
        expect(frame.locator("#shown")).to_have_text("Oslo: 4 degrees, dark")
        assert here.methods.count("resources/read") == reads, "the app is drawn without its server"
        every_session_replays(stack)
        accepted(door, here)
    settled(watched)


def test_a_hostile_app_gets_nowhere(
    stack: Stack, script: ModelServer, here: Addressed, listener: Listener, new_page: NewPage
) -> None:
    with stack.gateway() as door:
        session = called(door, script, "attacks")
        calls = here.methods.count("tools/call")
        watched = new_page(stack.url)
        _, frame = shown(stack, watched.page, session)
        expect(frame.locator("#out")).to_have_text("got out by: nothing", timeout=30_000)
        assert listener.arrived == []
        assert here.methods.count("tools/call") == calls
        assert len(watched.page.context.pages) == 1
        watched.forgive("")  # the browser tells of each attempt


@pytest.mark.parametrize(
    ("tool", "why"),
    [("floods", "It sent too many messages."), ("leaves", "It tried to leave for another address.")],
)
def test_an_app_that_floods_or_leaves_is_stopped_and_the_chat_goes_on(
    stack: Stack, script: ModelServer, listener: Listener, new_page: NewPage, tool: str, why: str
) -> None:
    with stack.gateway() as door:
        session = called(door, script, tool)
        watched = new_page(stack.url)
        app, _ = shown(stack, watched.page, session)
        expect(app.get_by_role("alert")).to_contain_text(f"The app was stopped. {why}")
        expect(app.locator("iframe")).to_have_count(0)
        expect(watched.page.get_by_text("There it is.", exact=True)).to_be_visible()
        assert listener.arrived == [], "it was removed before anything was sent"
        watched.forgive("")


def test_an_apps_document_is_confined_wherever_it_is_opened(stack: Stack, script: ModelServer) -> None:
    with stack.gateway() as door:
        session = called(door, script, "weather", city="Oslo")
        (made,) = [one for message in messages(door, session) for one in message["tool_calls"]]
        address = f"{stack.url}/api/v1/files/{made['result']['app']['file_id']}/app"
        headers = {"Authorization": f"Bearer {door.token}"}
        answer = httpx.get(address, headers=headers, verify=NO_TLS)
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'unsafe-inline';")
        assert policy.endswith("sandbox allow-scripts")
        assert "127.0.0.1" not in policy, "what it asks for in its `csp` opens nothing"
        assert httpx.get(address, verify=NO_TLS).status_code == 401


def frame_of(page: Page) -> Frame:
    """The app's."""
    return next(one for one in page.frames if one.url.endswith("/app"))


def asks(page: Page, tool: str, **given: object) -> None:
    """The app asks for a call; `told` says what came of it."""
    frame_of(page).evaluate(
        "([name, given]) => { window.told = ask('tools/call', { name, arguments: given }); }", [tool, given]
    )


def told(page: Page) -> Any:
    """The result of the last call, or its error."""
    answer = frame_of(page).evaluate("() => window.told")
    return answer.get("result") or answer["error"]


def test_an_app_calls_tools_of_its_server_under_the_policy(
    stack: Stack, script: ModelServer, here: Addressed, new_page: NewPage, screenshots: Path
) -> None:
    watched = new_page(stack.url)
    page = watched.page
    rules = [
        {"verdict": "ask", "match": {"tool": "apps__keep", "after_outside": True}, "note": "look at it"},
        {"verdict": "deny", "match": {"tool": "apps__fill"}},
    ]
    with stack.gateway() as door:
        session = called(door, script, "weather", city="Oslo")
        before = len(messages(door, session))
        door.put("/agents/default/policy", {"preset": "free", "rules": rules})
        app, frame = shown(stack, page, session)
        expect(frame.locator("#shown")).to_contain_text("Oslo: 4 degrees")
        sent = here.methods.count("tools/call")

        asks(page, "refresh")
        assert told(page)["structuredContent"] == {"result": "fresh"}
        asks(page, "weather", city="Bergen")
        assert told(page)["structuredContent"] == {"degrees": 4}
        assert here.methods.count("tools/call") == sent + 2

        asks(page, "keep", text="the <b>whole</b> text")
        wish = app.get_by_role("alertdialog", name="The app wants to call a tool")
        expect(wish).to_contain_text("keep with exactly this (Rule 1: look at it)")
        expect(wish).to_contain_text('"text": "the <b>whole</b> text"')
        assert here.methods.count("tools/call") == sent + 2
        Looks(page, [(DESKTOP, "light"), (PHONE, "dark")], screenshots, AXE).check("mcp-app-call")
        wish.get_by_role("button", name="Call it once").click()
        assert told(page)["structuredContent"] == {"result": "kept the <b>whole</b> text"}
        frame_of(page).evaluate("() => { window.told = ask('resources/read', { uri: 'ui://apps/plain' }); }")
        (content,) = told(page)["contents"]
        assert (content["uri"], content["text"].strip()) == ("ui://apps/plain", "<p>plain</p>")
        asks(page, "keep", text="again")
        wish.get_by_role("button", name="Don't").click()
        assert told(page)["message"] == "The user did not agree."
        assert here.methods.count("tools/call") == sent + 3, "the yes was for once"

        for tool, why in (
            ("fill", "the policy doesn't allow apps__fill (Rule 2 of the policy)"),
            ("inner", "offers its apps no such tool"),
            ("other__wipe", "offers its apps no such tool"),
        ):
            asks(page, tool, kib=1)
            assert why in told(page)["message"], tool
        asks(page, "weather", town="Oslo")
        assert "city" in told(page)["message"]
        asks(page, "fails")
        failed = told(page)
        assert failed["isError"]
        assert "out of order" in failed["content"][0]["text"]
        assert here.methods.count("tools/call") == sent + 4
        page.reload()
        made = app.get_by_text("The app called tools 8 times, 4 gave nothing")
        made.click()
        lines = app.get_by_role("list").get_by_role("listitem")
        for line, told_of in zip(
            lines.all(),
            (
                ("fails failed", "Allowed: The policy is free"),
                ("fill was not sent: the policy doesn't allow it", "Denied: Rule 2 of the policy"),
                ("keep was not sent: it needed your yes", "Asked: Rule 1: look at it"),
                ("read_mcp_resource gave its result", "Allowed: The policy is free"),
                ("keep gave its result", "You allowed it once (Rule 1: look at it)"),
                ("keep was not sent: it needed your yes", "Asked: Rule 1: look at it"),
                ("weather gave its result", "Allowed: The policy is free"),
                ("refresh gave its result", "Allowed: The policy is free"),
            ),
            strict=True,
        ):
            for words in told_of:
                expect(line).to_contain_text(words)
        yes = lines.nth(4)
        yes.locator("summary").click()
        expect(yes).to_contain_text('{"text": "the <b>whole</b> text"}')
        expect(yes).to_contain_text("kept the <b>whole</b> text")
        left = door.get("/egress", session_id=session)["items"]
        assert {(one["verdict"], one["host"]) for one in left} == {("sent", "127.0.0.1")}
        by_app = ["apps__fails", "read_mcp_resource", "apps__keep", "apps__weather", "apps__refresh"]
        by_agent = ["apps__weather", "apps__weather"]  # the call, and its app's page
        assert [one["tool"] for one in left] == by_app + by_agent
        Looks(page, EVERY_LOOK, screenshots, AXE).check("mcp-app-calls")
        with page.context.expect_page() as raw:
            yes.get_by_role("link").click()
        expect(raw.value.locator("body")).to_contain_text('"approved":true')
        expect(raw.value.locator("body")).to_contain_text("kept the <b>whole</b> text")
        raw.value.close()

        door.put("/agents/default/policy", {"preset": "free", "rules": []})
        page.frames[-1].evaluate(
            "() => { for (let n = 0; n < 1000; n += 1) ask('tools/call', { name: 'refresh' }); }"
        )
        stopped = app.get_by_role("alert")
        expect(stopped).to_contain_text("It called tools more than 60 times in a minute.")
        assert here.methods.count("tools/call") <= sent + 4 + 60
        assert len(messages(door, session)) == before, "nothing was said to the agent"

        stopped.get_by_role("button", name="Start again").click()
        expect(frame.locator("#shown")).to_contain_text("Oslo: 4 degrees")
        other = called(door, script, "weather", city="Oslo")
        door.delete(SERVER)
        _, frame = shown(stack, page, other)
        expect(frame.locator("#shown")).to_contain_text("Oslo: 4 degrees")
        asks(page, "refresh")
        assert "the MCP server apps offers its apps no such tool" in told(page)["message"]
        every_session_replays(stack)
    watched.forgive("")  # refused requests


def test_a_page_that_nobody_accepted_is_not_drawn(
    stack: Stack, script: ModelServer, here: Addressed, new_page: NewPage, screenshots: Path
) -> None:
    watched = new_page(stack.url)
    page = watched.page
    with stack.gateway() as door:
        door.put("/agents/default/policy", {"preset": "free", "rules": []})
        accepted(door, here)
        before = called(door, script, "weather", city="Oslo")
        PAGES["talks"] = "<!doctype html><p id='shown'>Another page</p>"
        session = called(door, script, "weather", city="Oslo")
        opened(stack, page, "default")
        page.goto(f"{stack.url}/#/s/{session}")
        expect(page.get_by_text("There it is.", exact=True)).to_be_visible()
        card = page.get_by_role("article", name="Tool call apps__weather")
        card.get_by_role("button").first.click()
        expect(card).to_contain_text("another page now than the one that was accepted")
        expect(page.locator("iframe")).to_have_count(0)
        _, frame = shown(stack, page, before)
        expect(frame.locator("#shown")).to_contain_text("Oslo: 4 degrees")
        until(lambda: door.get(SERVER)["status"]["state"] == "changed")

        page.goto(f"{stack.url}/#/studio/default/mcp")
        server = page.get_by_role("listitem", name="apps", exact=True)
        server.get_by_role("button", expanded=False).click()
        weather = page.get_by_role("listitem", name="weather")
        expect(weather).to_contain_text("Its app's page is another one than you accepted")
        expect(weather).to_contain_text(f"a page of {len(PAGES['talks'])} B, SHA-256")
        weather.scroll_into_view_if_needed()
        Looks(page, EVERY_LOOK, screenshots, AXE).check("mcp-app-page")
        weather.get_by_role("button", name="Accept weather").click()
        expect(weather).to_contain_text("Offered")
        _, frame = shown(stack, page, called(door, script, "weather", city="Oslo"))
        expect(frame.locator("#shown")).to_have_text("Another page")
        every_session_replays(stack)
        PAGES.clear()
        door.delete(SERVER)
        accepted(door, here)
    settled(watched)


def test_a_call_of_an_app_is_stopped_or_loses_its_host_and_was_sent_once(
    stack: Stack, script: ModelServer, here: Addressed, new_page: NewPage, screenshots: Path
) -> None:
    watched = new_page(stack.url)
    page = watched.page
    with stack.gateway() as door:
        door.put("/agents/default/policy", {"preset": "free", "rules": []})
        accepted(door, here)
        session = called(door, script, "weather", city="Oslo")
        app, frame = shown(stack, page, session)
        expect(frame.locator("#shown")).to_contain_text("Oslo: 4 degrees")
        sent = here.methods.count("tools/call")

        asks(page, "slow", text="first")
        until(lambda: here.methods.count("tools/call") == sent + 1)
        Looks(page, EVERY_LOOK, screenshots, AXE).check("mcp-app-in-hand")
        app.get_by_role("button", name="Stop it").click()
        assert "it may or may not have taken effect" in told(page)["message"]

        asks(page, "slow", text="second")
        until(lambda: here.methods.count("tools/call") == sent + 2)
        stack.kill(service_names.MCP_HOST)
        assert "it may or may not have taken effect" in told(page)["message"]
        expect(app.get_by_role("button", name="Stop it")).to_have_count(0)
        page.reload()
        app.get_by_text("The app called tools 2 times, 2 gave nothing").click()
        for line in app.get_by_role("list").get_by_role("listitem").all():
            expect(line).to_contain_text("slow may have run, or not: nobody knows")
        expect(frame.locator("#shown")).to_contain_text("Oslo: 4 degrees")
        asks(page, "refresh")
        assert told(page)["structuredContent"] == {"result": "fresh"}
        assert here.methods.count("tools/call") == sent + 3, "each was sent once"
        every_session_replays(stack)
    watched.forgive("")  # outcomes that nobody knows
