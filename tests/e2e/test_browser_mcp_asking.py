"""A foreign server asks in the middle of a call: a person sees its form, or the whole address, in a chat."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.mcp_host.addressed import addressed
from foldline_testing.mcp_host.servers.asker import ADDRESS, asker
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.looks import DESKTOP, PHONE, Looks
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack
from foldline_testing.product.studio_page import opened, settled
from foldline_testing.product.typing import write

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]
AXE = Path(__file__).parents[2] / "services/ui/node_modules/axe-core/axe.min.js"
SERVER = "/agents/default/mcp-servers/asker"


@pytest.fixture(scope="module")
def script() -> Iterator[ModelServer]:
    with ModelServer({"rules": [{"reply": {"text": "Done."}}]}) as model:
        yield model


@pytest.fixture(scope="module")
def stack(script: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    made, _ = asker()
    folder = tmp_path_factory.mktemp("mcp-asking")
    with addressed(made) as here, Stack(folder, env=script.environment()) as stack:
        with stack.gateway() as door:
            door.put("/agents/default/policy", {"preset": "free", "rules": []})
            door.put(SERVER, {"transport": {"kind": "http", "url": here.url}})
            door.post(f"{SERVER}:allow", {"private": True})
            door.post(f"{SERVER}:test", {})
            door.post(f"{SERVER}:accept", {"version": door.get(f"{SERVER}/tools")["version"]})
        yield stack


def waiting(door: Gateway, script: ModelServer, tool: str, **given: object) -> str:
    """A session whose call of the tool waits."""
    call = {"tool_calls": [{"name": f"asker__{tool}", "arguments": given}]}
    script.play({"rules": [{"turns": [call, {"text": "It is done."}]}]})
    turn = ChatTurn(door, None)
    turn.say("go on")
    list(turn.pieces())
    assert turn.status == "waiting_for_input", turn.failure
    return turn.session_id


def test_a_servers_form_is_filled_in_and_its_call_goes_on(
    stack: Stack, script: ModelServer, new_page: NewPage, screenshots: Path
) -> None:
    with stack.gateway() as door:
        session = waiting(door, script, "book", purpose="work")
        watched = new_page(stack.url)
        page = watched.page
        opened(stack, page, "default")
        page.goto(f"{stack.url}/#/s/{session}")
        card = page.get_by_role("article", name="The MCP server asker asks you")
        expect(card).to_contain_text("Where to?\\u200b And how long?")
        expect(card).to_contain_text("These are the words of the MCP server asker")
        Looks(page, [(DESKTOP, "light"), (PHONE, "dark")], screenshots, AXE).check("mcp-asks")
        write(card.get_by_label(re.compile("^City")), "O")
        write(card.get_by_label(re.compile("^Nights", re.IGNORECASE)), "31")
        card.get_by_role("button", name="Give it to asker").click()
        expect(card).to_contain_text("This text is too short")
        write(card.get_by_label(re.compile("^City")), "Oslo")
        write(card.get_by_label(re.compile("^Nights", re.IGNORECASE)), "2")
        card.get_by_role("button", name="Give it to asker").click()
        expect(page.get_by_text("It is done.", exact=True)).to_be_visible()
        expect(card).to_have_count(0)
        (made,) = [one for message in messages(door, session) for one in message["tool_calls"]]
        assert made["result"] == {"structured": {"result": "work: Oslo 2 False"}}
    settled(watched)


def test_each_question_of_a_call_is_a_new_one(stack: Stack, script: ModelServer, new_page: NewPage) -> None:
    with stack.gateway() as door:
        session = waiting(door, script, "ask", times=2)
        watched = new_page(stack.url)
        page = watched.page
        opened(stack, page, "default")
        page.goto(f"{stack.url}/#/s/{session}")
        for number in (0, 1):
            card = page.get_by_role("article").filter(has_text=f"Number {number}?")
            field = card.get_by_role("textbox")
            expect(field).to_have_value("")
            write(field, f"answer {number}")
            card.get_by_role("button", name="Give it to asker").click()
        expect(page.get_by_text("It is done.", exact=True)).to_be_visible()
    settled(watched)


def test_an_address_stands_there_whole_and_nothing_opens_by_itself(
    stack: Stack, script: ModelServer, new_page: NewPage, screenshots: Path
) -> None:
    with stack.gateway() as door:
        session = waiting(door, script, "visit")
        watched = new_page(stack.url)
        page = watched.page
        opened(stack, page, "default")
        page.goto(f"{stack.url}/#/s/{session}")
        card = page.get_by_role("article", name="The MCP server asker asks you")
        expect(card.get_by_text(ADDRESS)).to_be_visible()
        expect(card).to_contain_text("It wants you to open an address at pay.example.org")
        expect(card.get_by_role("link", name="Open it in a new tab")).to_have_attribute("href", ADDRESS)
        Looks(page, [(DESKTOP, "light"), (PHONE, "dark")], screenshots, AXE).check("mcp-asks-address")
        assert len(page.context.pages) == 1
        card.get_by_role("button", name="Decline").click()
        expect(page.get_by_text("It is done.", exact=True)).to_be_visible()
        (made,) = [one for message in messages(door, session) for one in message["tool_calls"]]
        assert made["result"] == {"structured": {"result": "decline"}}
    settled(watched)
