"""A person away from the page is reached once, by the whole product; and where that is set."""

import base64
import hashlib
import hmac
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.command import Command
from foldline_testing.product.installed_extension import install_example
from foldline_testing.product.looks import Looks
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

NewPage = Callable[..., WatchedPage]


def eventually(holds: Callable[[], Any], within_s: float) -> None:
    """Another process does it."""
    ends = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < ends, "it never happened"
        time.sleep(0.1)


class Hook:
    """A server of somebody's own, which keeps what it is sent."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.status = 204
        got, hook = self.got, self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                got.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(hook.status)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]

    def about(self, session_id: str) -> list[dict[str, Any]]:
        """The events about a session."""
        events = [json.loads(body) for _, body in self.got]
        return [one for one in events if one["data"]["session_id"] == session_id]


@pytest.fixture(scope="module")
def hook() -> Iterator[Hook]:
    made = Hook()
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def told(hook: Hook, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    env = {"FOLDLINE_EGRESS_PRIVATE_HOSTS": f"127.0.0.1:{hook.port}"}
    with Stack(tmp_path_factory.mktemp("told"), env=env) as started:
        yield started


@pytest.mark.browser
def test_a_question_reaches_a_webhook_once_and_only_while_nobody_looks(
    told: Stack, hook: Hook, new_page: NewPage, screenshots: Path, axe: Path, tmp_path: Path
) -> None:
    foldline = Command(told.data_dir, tmp_path)
    url = f"http://127.0.0.1:{hook.port}/in"
    made = foldline("notifications", "set", "my-hook", "webhook", f"url={url}", "--json")
    assert made.code == 0, made.err
    secret = made.json["secret"]
    assert foldline("notifications", "prefer", "--address", "https://me.example/").code == 0
    tested = foldline("notifications", "test", "my-hook")
    assert tested.code == 0, tested.err + tested.out
    assert json.loads(hook.got[0][1])["type"] == "foldline.notification.test.v1"

    with Gateway(told.url, told.token) as door:
        session_id = door.post("/sessions", {"message": "ask me something"})["id"]
        eventually(lambda: hook.about(session_id), 60)
        [event] = hook.about(session_id)
        assert event["type"] == "foldline.notification.question.v1"
        assert event["data"]["link"] == f"https://me.example/#/s/{session_id}"
        headers, body = hook.got[-1]
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        key = base64.b64decode(secret.removeprefix("whsec_"))
        digest = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        assert headers["webhook-signature"] == f"v1,{digest}"

        chat = ChatPage(new_page(told.url).page, screenshots)
        chat.open(told.link)
        chat.say("ask me something")
        expect(chat.page.get_by_role("button", name="A typo", exact=True)).to_be_enabled()
        seen = re.search(r"#/s/([A-Za-z0-9_-]+)", chat.page.url)
        assert seen is not None

        hook.status = 500
        away = door.post("/sessions", {"message": "ask me something"})["id"]
        eventually(lambda: hook.about(away), 60)
        assert hook.about(seen.group(1)) == []
        assert len(hook.about(session_id)) == 1
        listed = door.get("/notifications")["channels"][0]
        eventually(lambda: door.get("/notifications")["channels"][0]["error"], 30)
        assert "whsec" not in json.dumps(listed)
    doctor = foldline("doctor", "--json")
    [about] = [one for one in doctor.json if one["check"] == "notifications"]
    assert "my-hook: the server answers 500" in about["text"]

    page = chat.page
    page.get_by_role("link", name="Notifications").click()
    expect(page.get_by_text("The last attempt failed")).to_be_visible()
    looks = Looks(page, [(390, "light"), (1200, "light"), (1200, "dark")], screenshots, axe)
    looks.check("notifications")
    page.get_by_role("button", name="Add a channel").click()
    page.get_by_label("By", exact=True).select_option("Mail")
    page.get_by_label("Quiet hours").check()
    looks.check("notifications-new")
    page.get_by_label("By", exact=True).select_option("Webhook")
    write(page.get_by_label("Name", exact=True), "another")
    write(page.get_by_label("Address"), url)
    page.get_by_role("form", name="New channel").get_by_role("button", name="Save").click()
    expect(page.get_by_text("whsec_")).to_be_visible()
    hook.status = 204
    page.get_by_role("button", name="Send a test another").click()
    expect(page.get_by_text("The test message was taken.")).to_be_visible()
    page.get_by_role("form", name="When and how").get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    with Gateway(told.url, told.token) as door:
        assert door.get("/notifications")["preferences"]["quiet"]["begins"] == "22:00"


@pytest.mark.browser
def test_a_channel_of_two_files_is_offered_set_sent_and_shown_without_its_secret(
    hook: Hook, new_page: NewPage, tmp_path: Path, screenshots: Path, axe: Path
) -> None:
    """Neither the CLI of this test nor the page knows the kind: they have it from the API."""
    url = f"http://127.0.0.1:{hook.port}/page"
    env = {"FOLDLINE_EGRESS_PRIVATE_HOSTS": f"127.0.0.1:{hook.port}"}
    env |= install_example("channel", tmp_path / "more")
    hook.status = 204
    with Stack(tmp_path / "data", env=env) as stack, Gateway(stack.url, stack.token) as door:
        foldline = Command(stack.data_dir, tmp_path)
        kinds = foldline("notifications", "kinds")
        assert re.search(r"pager +number +needed +Number: Four digits", kinds.out), kinds.out
        set_it = ("notifications", "set", "by-command", "pager", f"url={url}")
        wrong = foldline(*set_it, "number=12", stdin="k-canary\n")
        assert wrong.code == 1
        assert "Number can't be this. Four digits." in wrong.err
        assert "--ask key" in foldline(*set_it, "number=1234", "key=k-canary").err
        made = foldline(*set_it, "number=1234", stdin="k-canary\n")
        assert made.code == 0, made.err
        tested = foldline("notifications", "test", "by-command")
        assert tested.code == 0, tested.out + tested.err

        watched = new_page(stack.url)
        page = watched.page
        page.goto(stack.link)
        page.goto(f"{stack.url}/#/notifications")
        page.get_by_role("button", name="Add a channel").click()
        page.get_by_label("By", exact=True).select_option("Pager")
        form = page.get_by_role("form", name="New channel")
        write(form.get_by_label("Name", exact=True), "by-page")
        write(form.get_by_label("Address"), url)
        write(form.get_by_label("Number"), "12")
        write(form.get_by_label("Key"), "k-canary")
        form.get_by_role("button", name="Save").click()
        expect(form.get_by_label("Number")).to_have_accessible_description(re.compile("Number can't be this"))
        watched.forgive("422")
        Looks(page, [(390, "light"), (1280, "light"), (1280, "dark")], screenshots, axe).check("pager")
        write(form.get_by_label("Number"), "4321")
        form.get_by_role("button", name="Save").click()
        page.get_by_role("button", name="Send a test by-page").click()
        expect(page.get_by_text("The test message was taken.")).to_be_visible()
        expect(page.get_by_text("pager: 4321")).to_be_visible()

        shown = json.dumps(door.get("/notifications"))
        assert [one["leads_to"] for one in json.loads(shown)["channels"]] == ["1234", "4321"]
        assert "canary" not in shown
    paged = [(sent["x-number"], sent["x-key"], body) for sent, body in hook.got if "x-number" in sent]
    assert paged == [
        ("1234", "k-canary", b"Foldline: a test message"),
        ("4321", "k-canary", b"Foldline: a test message"),
    ]
