"""A person chooses a prompt of a foreign server after a `/`, in the browser and in the terminal."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway
from foldline_testing.mcp_host.addressed import Addressed, addressed
from foldline_testing.mcp_host.servers.library import server as library
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.command import Command
from foldline_testing.product.looks import DESKTOP, PHONE, Looks
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack
from foldline_testing.product.studio_page import opened, settled
from foldline_testing.product.typing import write

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]
AXE = Path(__file__).parents[2] / "services/ui/node_modules/axe-core/axe.min.js"
SERVERS = "/agents/default/mcp-servers"


@pytest.fixture(scope="module")
def script() -> Iterator[ModelServer]:
    with ModelServer({"rules": [{"reply": {"text": "Done."}}]}) as model:
        yield model


@pytest.fixture(scope="module")
def here() -> Iterator[Addressed]:
    with addressed(library) as here:
        yield here


@pytest.fixture(scope="module")
def stack(script: ModelServer, here: Addressed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """One with a server that has prompts, and one that nobody answers at."""
    with Stack(tmp_path_factory.mktemp("mcp-prompts"), env=script.environment()) as stack:
        with stack.gateway() as door:
            for name, url in (("lib", here.url), ("far", "http://127.0.0.1:9/mcp")):
                door.put(f"{SERVERS}/{name}", {"transport": {"kind": "http", "url": url}})
                door.post(f"{SERVERS}/{name}:allow", {"private": True})
        yield stack


@pytest.fixture
def door(stack: Stack) -> Iterator[Gateway]:
    with stack.gateway() as door:
        yield door


def said(door: Gateway, name: str, **arguments: str) -> dict[str, Any]:
    """The message of a new session that this prompt became."""
    session = door.post("/sessions", {})["id"]
    prompt = {"server": "lib", "name": name, "arguments": arguments}
    door.post(f"/sessions/{session}/messages", {"prompt": prompt}, f"key-{session}")
    return next(one for one in messages(door, session) if one["role"] == "user")


def test_a_prompt_is_chosen_by_keys_filled_in_and_said(
    stack: Stack, script: ModelServer, new_page: NewPage, screenshots: Path
) -> None:
    watched = new_page(stack.url)
    page = watched.page
    opened(stack, page, "default")
    chat = ChatPage(page, screenshots)
    chat.open(stack.url)
    chat.composer.press_sequentially("/")
    menu = page.get_by_role("listbox", name="Prompts of MCP servers")
    expect(menu.get_by_role("option")).to_have_count(3, timeout=30_000)
    expect(page.get_by_text("far lists no prompts now:")).to_be_visible()
    Looks(page, [(DESKTOP, "light"), (PHONE, "dark")], screenshots, AXE).check("mcp-prompts")
    chat.composer.press_sequentially("rev")
    expect(menu.get_by_role("option")).to_have_count(1)
    chat.composer.press("Enter")
    form = page.get_by_role("form", name="Prompt review")
    Looks(page, [(DESKTOP, "light"), (PHONE, "dark")], screenshots, AXE).check("mcp-prompt-form")
    write(form.get_by_label(re.compile("^work")), "Moby-Dick")
    form.get_by_role("button", name="Send").click()
    bubble = page.get_by_role("article", name="You").filter(has_text="Review Moby-Dick, be kind.")
    expect(bubble).to_contain_text("Prompt review of lib")
    expect(bubble).to_contain_text("from outside")
    expect(page.get_by_text("Done.", exact=True)).to_be_visible()
    asked = script.recording.requests[-1].body["messages"]
    (shown,) = [one["content"] for one in asked if one["role"] == "user"]
    assert '<outside from="mcp lib">\nReview Moby-Dick, be kind.\n</outside>' in shown
    page.reload()
    expect(bubble).to_contain_text("Prompt review of lib")
    every_session_replays(stack)
    settled(watched)


def test_what_was_said_tells_where_it_came_from_and_files_came_with_it(door: Gateway) -> None:
    message = said(door, "shown")
    assert message["prompt"] == {"server": "lib", "name": "shown", "arguments": {}}
    assert message["text"] == ("User: Look at this.\n\nAssistant: I see a pixel.\n\nUser: Call me Ishmael.")
    assert [one["media_type"] for one in message["files"]] == ["image/png"]
    long = said(door, "long_one")
    assert (long["text"], [one["size"] for one in long["files"]]) == ("", [1_100_000])


def test_the_same_key_says_it_once_and_asks_the_server_once(door: Gateway, here: Addressed) -> None:
    session = door.post("/sessions", {})["id"]
    prompt = {"prompt": {"server": "lib", "name": "review", "arguments": {"work": "Emma"}}}
    before = here.methods.count("prompts/get")
    first, again = (door.post(f"/sessions/{session}/messages", prompt, "one-key") for _ in range(2))
    assert first == again
    assert here.methods.count("prompts/get") == before + 1


@pytest.mark.parametrize(
    ("server", "name", "kind", "words"),
    [
        ("lib", "nothing", "not_found", "has no prompt 'nothing'"),
        ("lib", "review", "invalid_request", "needs more arguments: work"),
        ("far", "review", "mcp_server_failed", "Nothing was sent"),
        ("nobody", "review", "not_found", "Nothing was sent"),
    ],
)
def test_what_cant_be_had_is_said_and_nothing_is_sent(
    door: Gateway, server: str, name: str, kind: str, words: str
) -> None:
    session = door.post("/sessions", {})["id"]
    with pytest.raises(Rejected, match=re.escape(words)) as refused:
        door.post(f"/sessions/{session}/messages", {"prompt": {"server": server, "name": name}})
    assert refused.value.kind == kind
    assert messages(door, session) == []


def test_the_terminal_lists_fills_in_and_says_it(stack: Stack, tmp_path: Path) -> None:
    foldline = Command(stack.data_dir, tmp_path)
    with foldline.terminal("chat") as shown:
        shown.wait_for("you")
        shown.type("/")
        shown.wait_for("/lib/review  Review a work.")
        shown.type("/review")
        shown.wait_for("work (needed)")
        shown.type("Moby-Dick")
        shown.wait_for("tone")
        shown.type("")
        shown.wait_for("Done.")
        shown.type("/nothing-there")
        shown.wait_for("Done.")
