"""A full disk, as a person at the browser and in a terminal sees it: in words, at once, with what to do."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from foldline.cli.client import Gateway
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.small_disk import SmallDisk, small_disk
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

pytestmark = [pytest.mark.faults, pytest.mark.browser]

NewPage = Callable[..., WatchedPage]
_SOON_MS, _SOON_S = 12_000, 20.0


class Full:
    """A Foldline whose disk can be filled."""

    def __init__(self, stack: Stack, disk: SmallDisk) -> None:
        self.stack = stack
        self.disk = disk


@pytest.fixture
def full(shared_model: ModelServer, tmp_path: Path) -> Iterator[Full]:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    shared_model.play(SCRIPT)
    with (
        small_disk(data / "nats", 64) as disk,
        Stack(data, env=shared_model.environment()) as stack,
    ):
        yield Full(stack, disk)


SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "slow"},
            "reply": {
                "text": " ".join(map(str, range(9_000))),
                "pace": {"chunks": 9},
                "fault": {"kind": "hold", "after_chunks": 2},
            },
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}
_LONG = "word " * 4_000


def _refuse_logins(stack: Stack) -> None:
    """A full disk still takes a few bytes where a file ends."""
    for _ in range(200):
        with httpx.Client(verify=NO_TLS, headers={"accept": "text/html"}) as client:
            if client.get(stack.link, timeout=20).status_code == 503:
                return
    raise AssertionError("logins are still stored")


def _until_asked(door: Gateway) -> None:
    """The model works on an answer."""
    deadline = time.monotonic() + _SOON_S
    while not any(one["what"] for one in _open_calls(door)):
        assert time.monotonic() < deadline, "no model was asked"
        time.sleep(0.1)


def _open_calls(door: Gateway) -> list[dict[str, Any]]:
    return [one["open_call"] for one in door.get("/activity")["items"] if one["open_call"]]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_full_disk_is_said_in_the_chat_in_the_studio_and_at_the_login(
    full: Full, new_page: NewPage, screenshots: Path, width: int
) -> None:
    watched, stranger = new_page(full.stack.url), new_page(full.stack.url)
    for page in (watched, stranger):
        page.page.set_viewport_size({"width": width, "height": 800})
    chat = ChatPage(watched.page, screenshots)
    chat.open(full.stack.link)
    chat.say("before")
    expect(chat.answers).to_have_count(1)
    chat.settled()
    full.disk.fill()
    write(chat.composer, _LONG)
    chat.composer.press("Enter")
    told = chat.page.get_by_role("alert").filter(has_text="The disk of the log is full")
    expect(told).to_be_visible(timeout=_SOON_MS)
    for words in ("What was stored before is safe", "Make room", "continues automatically"):
        expect(told).to_contain_text(words)
    chat.shot(f"full-disk-chat-{width}")
    chat.page.goto(f"{full.stack.url}/#/studio/default")
    chat.page.reload()
    expect(told).to_be_visible(timeout=_SOON_MS)
    chat.shot(f"full-disk-studio-{width}")

    _refuse_logins(full.stack)
    stranger.page.goto(full.stack.link)
    expect(stranger.page.get_by_role("heading", name="Nothing can be stored")).to_be_visible()
    expect(stranger.page.get_by_text("Make room on the disk of the log")).to_be_visible()
    ChatPage(stranger.page, screenshots).shot(f"full-disk-login-{width}")

    full.disk.free()
    expect(told).to_be_hidden()
    stranger.page.reload()
    expect(ChatPage(stranger.page, screenshots).composer).to_be_visible()
    for page in (watched, stranger):
        page.forgive("503")


def test_a_command_says_so_and_ends(full: Full, shared_model: ModelServer, tmp_path: Path) -> None:
    foldline = Command(full.stack.data_dir, tmp_path)
    assert foldline("send", "before").code == 0
    with foldline.terminal("send", "be slow") as accepted, full.stack.gateway() as door:
        _until_asked(door)
        full.disk.fill()
        refused = foldline("send", _LONG)
        assert (refused.code, "The disk of the log is full" in refused.err) == (1, True), refused
        shared_model.release()
        accepted.wait_for("The disk of the log is full")
        accepted.wait_for("is safe")  # what was accepted, or what was stored: by what it asked for last
        assert accepted.ended() == 1
