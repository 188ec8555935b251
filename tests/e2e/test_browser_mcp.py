"""MCP in the browser and by the command line: a person logs in at a server, and lets a program in."""

import asyncio
import os
import re
import signal
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import httpx
import httpx2
import psutil
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.mcpserver import MCPServer
from playwright.sync_api import expect

from agent_contracts import service_names
from foldline.cli.client import Gateway
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.mcp_host.addressed import Addressed, addressed
from foldline_testing.mcp_host.authority import Authority, authority, logged_in
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.command import Command
from foldline_testing.product.looks import DESKTOP, PHONE, Looks
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack
from foldline_testing.product.studio_page import opened, settled
from foldline_testing.product.typing import write

pytestmark = pytest.mark.browser

T = TypeVar("T")
NewPage = Callable[..., WatchedPage]
AXE = Path(__file__).parents[2] / "services/ui/node_modules/axe-core/axe.min.js"
SERVERS = "/agents/default/mcp-servers"


@pytest.fixture(scope="module")
def vouching() -> Iterator[Authority]:
    with authority() as here:
        yield here


@pytest.fixture(scope="module")
def here(vouching: Authority) -> Iterator[Addressed]:
    """A server that wants to know who asks."""
    made = MCPServer("far", version="1")

    @made.tool()
    def note(text: str) -> str:
        """Note it."""
        return f"noted: {text}"

    with addressed(made, authority=vouching) as here:
        yield here


@pytest.fixture(scope="module")
def stack(vouching: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """One whose operator allows the authorization server on this machine, and with two hosts."""
    with ModelServer({"rules": [{"reply": {"text": "Hello."}}]}) as model:
        env = model.environment() | {"FOLDLINE_EGRESS_PRIVATE_HOSTS": f"127.0.0.1:{vouching.port}"}
        folder = tmp_path_factory.mktemp("mcp-logins")
        with Stack(folder, processes=True, replicas={service_names.MCP_HOST: 2}, env=env) as stack:
            yield stack


@pytest.fixture
def door(stack: Stack) -> Iterator[Gateway]:
    with stack.gateway() as door:
        yield door


def added(door: Gateway, here: Addressed, name: str) -> str:
    """The server, which may be on this machine; its state."""
    door.put(f"{SERVERS}/{name}", {"transport": {"kind": "http", "url": here.url}})
    door.post(f"{SERVERS}/{name}:allow", {"private": True})
    return str(door.post(f"{SERVERS}/{name}:test", {})["state"])


def ran(work: Coroutine[Any, Any, T]) -> T:
    """What it gives, in a thread of its own: the browser has this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def came_back(stack: Stack, back: dict[str, str]) -> httpx.Response:
    """What a person sees who comes back with this."""
    return httpx.get(f"{stack.url}/mcp-login/callback", params=back, verify=NO_TLS, timeout=60)


def test_a_person_logs_in_at_a_server_and_out_in_the_studio(
    stack: Stack, door: Gateway, here: Addressed, vouching: Authority, new_page: NewPage, screenshots: Path
) -> None:
    assert added(door, here, "far") == "needs_login"
    watched = new_page(stack.url)
    page = watched.page
    opened(stack, page, "default")
    page.goto(f"{stack.url}/#/studio/default/mcp")
    server = page.get_by_role("listitem", name="far")
    expect(server).to_contain_text("You have to log in.")
    asked = len(vouching.asked)
    server.get_by_role("button", name=re.compile("^Log in")).click()
    expect(server).to_contain_text(f"{vouching.issuer}/authorize?response_type=code&client_id=")
    assert "/authorize" not in vouching.asked[asked:], "nothing opens by itself"
    looks = Looks(page, [(DESKTOP, "light"), (PHONE, "dark")], screenshots, AXE)
    looks.check("mcp-login")
    with page.context.expect_page() as popup:
        server.get_by_role("link", name=re.compile("^Open the page")).click()
    expect(popup.value.get_by_role("heading")).to_have_text("You are logged in")
    assert popup.value.url.startswith(f"{stack.url}/mcp-login/callback?code=")
    popup.value.close()
    expect(server).to_contain_text(f"You are logged in at {vouching.issuer}")
    expect(server).to_contain_text("Waits for you")
    may_ask = server.get_by_label(re.compile("may ask a model"))
    expect(may_ask).not_to_be_checked()
    may_ask.click()
    expect(may_ask).to_be_checked()
    assert door.get("/agents/default/mcp-servers/far")["sampling"]
    server.get_by_role("button", name=re.compile("^Log out")).click()
    expect(server).to_contain_text("You have to log in.")
    assert vouching.asked[-1] == "/revoke"
    watched.forgive(vouching.issuer)
    settled(watched)


def test_the_command_says_where_and_waits_until_the_person_was_there(
    stack: Stack, door: Gateway, here: Addressed, tmp_path: Path
) -> None:
    assert added(door, here, "shell") == "needs_login"
    foldline = Command(stack.data_dir, tmp_path)
    with foldline.terminal("mcp", "login", "shell", columns=2000) as shown:
        shown.wait_for("open it in a browser within ten minutes:")
        address = shown.wait_for("code_challenge_method=S256") + shown.wait_for("\n")
        page = came_back(stack, ran(logged_in(address.strip())))
        assert (page.status_code, "You are logged in" in page.text) == (200, True)
        shown.wait_for("logged in at")
        assert shown.ended() == 0
    assert foldline("mcp", "logout", "shell").code == 0
    assert door.get(f"{SERVERS}/shell")["status"]["state"] == "needs_login"
    refused = foldline("mcp", "login", "nobody")
    assert (refused.code != 0, "no MCP server named nobody" in refused.err) == (True, True)


def test_a_program_is_logged_in_by_its_secret_and_logged_out_when_its_server_is_removed(
    stack: Stack, door: Gateway, here: Addressed, vouching: Authority, tmp_path: Path
) -> None:
    vouching.programs["ours"] = "hunter2hunter2"
    door.put("/agents/default/secrets/CLIENT", {"value": "hunter2hunter2", "hosts": ["127.0.0.1"]})
    foldline = Command(stack.data_dir, tmp_path)
    client = ("--client-id", "ours", "--client-secret", "{{secret:CLIENT}}", "--grant", "client_credentials")
    assert foldline("mcp", "add", "robot", "--url", here.url, *client).code == 0
    assert foldline("mcp", "allow", "robot", "--private").code == 0
    assert "log in first" in foldline("mcp", "test", "robot").err
    done = foldline("mcp", "login", "robot")
    assert (done.code, f"robot: logged in at {vouching.issuer}" in done.out) == (0, True), done.err
    assert vouching.forms[-1]["grant_type"] == "client_credentials"
    assert vouching.shown[-1] == b"ours:hunter2hunter2"
    state = door.post(f"{SERVERS}/robot:test", {})
    assert (state["state"], state["login"]) == ("changed", vouching.issuer)
    asked = len(vouching.asked)
    assert foldline("mcp", "remove", "robot").code == 0
    assert "/revoke" in vouching.asked[asked:]


@pytest.mark.faults
def test_a_login_outlives_the_host_that_began_it_and_counts_once(
    stack: Stack, door: Gateway, here: Addressed
) -> None:
    assert added(door, here, "killed") == "needs_login"
    begun = door.post(f"{SERVERS}/killed:log-in", {})
    killed = [psutil.Process(pid) for pid in stack.pids(service_names.MCP_HOST)]
    assert len(killed) == 2
    for one in killed:
        os.kill(one.pid, signal.SIGKILL)
    psutil.wait_procs(killed, timeout=20)
    back = ran(logged_in(begun["url"]))
    codes = [503]
    while codes[-1] == 503:  # the person reloads the page until there is a host again
        answer = came_back(stack, back)
        codes.append(answer.status_code)
        time.sleep(0.2)
    assert codes[-1] == 200, answer.text
    assert came_back(stack, back).status_code == 404
    assert door.post(f"{SERVERS}/killed:test", {})["login"]
    kept = [path for path in stack.data_dir.rglob("*") if path.suffix in (".log", ".blk", ".txt")]
    assert kept
    assert not [path for path in kept if b"access-" in path.read_bytes()], "no token is stored in the clear"


def test_a_person_lets_a_program_in_for_what_they_tick_and_out_again(
    stack: Stack, door: Gateway, new_page: NewPage
) -> None:
    watched = new_page(stack.url)
    page = watched.page
    opened(stack, page, "default")
    page.goto(f"{stack.url}/#/studio/default/secrets")
    programs = page.get_by_role("region", name="Programs")
    programs.get_by_role("button", name=re.compile("Let a program in")).click()
    form = page.get_by_role("form", name="New program")
    write(form.get_by_label("Name"), "Editor")
    form.get_by_role("button", name="Save").click()
    shown = programs.get_by_role("status").filter(has_text="isn't shown again")
    token = shown.locator("code").inner_text()
    assert ran(tools_with(stack, token)) >= {"ask_agent", "read_session"}
    expect(programs.get_by_role("list", name="Programs with a token")).to_contain_text("editor")
    page.reload()
    expect(programs.get_by_role("list", name="Programs with a token")).to_contain_text("editor")
    expect(page.get_by_text(token)).to_have_count(0)
    programs.get_by_role("button", name=re.compile("^Revoke")).click()
    expect(programs).to_contain_text("No programs yet.")
    answer = httpx.post(
        f"{stack.url}/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "ping"},
        headers={"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"},
        verify=NO_TLS,
    )
    assert answer.status_code == 401
    settled(watched)


async def tools_with(stack: Stack, token: str) -> set[str]:
    """What the token's holder may call."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{stack.url}/mcp", http_client=http)
        async with Client(transport) as client:
            return {one.name for one in (await client.list_tools()).tools}
