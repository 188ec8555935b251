"""Browser sessions by LibrAgent's names, in a real Chromium."""

import itertools
from collections.abc import AsyncIterator
from unittest.mock import ANY

import pytest
import pytest_asyncio

import foldline_libragent
from agent_contracts.ids import SessionId
from agent_contracts.tool_spec import RunsOn
from agent_domain.files.file import Workspace
from agent_tools.registry import Pack, Registry, tools_in
from browser_pool.pool_tools import discover
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.browser_pool.site import Site, site
from foldline_testing.browser_pool.world import BrowserWorld, browser_world

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

_numbers = itertools.count(1)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pages() -> AsyncIterator[Site]:
    """The site of the tests."""
    async with site() as here:
        yield here


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world() -> AsyncIterator[BrowserWorld]:
    """A pool with the pack's tools beside its own."""
    tools = tuple(one for one in tools_in(foldline_libragent) if one.spec.runs_on is RunsOn.BROWSER)
    registry = Registry([*discover(()).packs, Pack("libragent", "1", tools)])
    async with browser_world(registry=registry) as world:
        yield world


@pytest_asyncio.fixture(loop_scope="module")
async def chat(world: BrowserWorld) -> AsyncIterator[str]:
    """A session of its own."""
    name = f"s{next(_numbers)}"
    yield name
    await world.contexts.close(SessionId(name))


async def test_sessions_are_opened_listed_and_closed(world: BrowserWorld, pages: Site, chat: str) -> None:
    assert await world.get("listSessions", chat) == {"sessions": []}
    assert world.contexts.of(SessionId(chat)) is None
    one = await world.get("createSession", chat, url=pages.url(), title="My Browser Session")
    two = await world.get("createSession", chat, url=pages.url("/form"))
    assert one["sessionId"] != two["sessionId"]
    assert (one["url"], one["title"]) == (pages.url(), "Home")
    listed = (await world.get("listSessions", chat))["sessions"]
    assert listed == [
        {"sessionId": one["sessionId"], "url": pages.url(), "title": "My Browser Session"},
        {"sessionId": two["sessionId"], "url": pages.url("/form"), "title": "Order"},
    ]
    assert await world.get("closeSession", chat, sessionId=one["sessionId"]) == {"closed": True}
    left = (await world.get("listSessions", chat))["sessions"]
    assert [session["sessionId"] for session in left] == [two["sessionId"]]
    error = await world.refused("getPageTitle", chat, sessionId=one["sessionId"])
    assert (error.kind, error.path) == ("not_found", "/sessionId")


async def test_in_a_shared_browser_each_session_lists_and_uses_its_own_pages(
    world: BrowserWorld, pages: Site, chat: str
) -> None:
    child = f"{chat}-child"
    world.contexts.lend_to(SessionId(child), SessionId(chat))
    mine = (await world.get("createSession", chat, url=pages.url()))["sessionId"]
    theirs = (await world.get("createSession", child, url=pages.url("/form")))["sessionId"]
    for session, own, other in ((chat, mine, theirs), (child, theirs, mine)):
        listed = (await world.get("listSessions", session))["sessions"]
        assert [one["sessionId"] for one in listed] == [own]
        assert (await world.refused("getPageTitle", session, sessionId=other)).kind == "not_found"
    await world.contexts.end(SessionId(child))


async def test_each_session_stays_where_it_is(world: BrowserWorld, pages: Site, chat: str) -> None:
    one = (await world.get("createSession", chat, url=pages.url()))["sessionId"]
    two = (await world.get("createSession", chat, url=pages.url("/form")))["sessionId"]
    went = await world.get("navigateToUrl", chat, sessionId=one, url=pages.url("/news"))
    assert (went["sessionId"], went["title"]) == (one, "News")
    titled = await world.call("getPageTitle", {"sessionId": two}, chat)
    at = await world.call("getCurrentUrl", {"sessionId": one}, chat)
    assert (titled.result, at.result) == ("Order", pages.url("/news"))
    assert (await world.get("navigateBack", chat, sessionId=one))["title"] == "Home"
    assert (await world.get("navigateForward", chat, sessionId=one))["title"] == "News"
    assert (await world.get("browser_current_page", chat))["url"] == pages.url("/news")


async def test_a_covered_button_is_diagnosed_and_a_free_one_clicked(
    world: BrowserWorld, pages: Site, chat: str
) -> None:
    session = (await world.get("createSession", chat, url=pages.url("/clicks")))["sessionId"]
    error = await world.refused("clickElement", chat, sessionId=session, selector="#under")
    assert "nothing was done" in error.message
    assert "covered by" in error.message
    assert error.details["reason"] == "covered"
    assert error.details["box"]["width"] > 0
    for selector, reason in (
        ("#nothing", "not_found"),
        ("#hidden", "hidden"),
        ("#empty", "zero_size"),
        ("#disabled", "disabled"),
        ("#away", "outside"),
    ):
        error = await world.refused("clickElement", chat, sessionId=session, selector=selector)
        assert error.details["reason"] == reason, selector
    clicked = await world.get("clickElement", chat, sessionId=session, selector="#fine")
    assert (clicked["success"], clicked["title"]) == (True, "clicked")


async def test_text_replaces_what_is_in_a_field(world: BrowserWorld, pages: Site, chat: str) -> None:
    session = (await world.get("createSession", chat, url=pages.url("/form")))["sessionId"]
    put = await world.get("inputText", chat, sessionId=session, selector="textarea[name='note']", text="Bye")
    assert put["success"] is True
    value = await world.get("browser_evaluate", chat, code="document.querySelector('textarea').value")
    assert value["result"] == "Bye"
    error = await world.refused("inputText", chat, sessionId=session, selector="[name=locked]", text="x")
    assert error.details["reason"] == "read_only"


async def test_a_page_is_scrolled_and_what_can_be_acted_on_is_told(
    world: BrowserWorld, pages: Site, chat: str
) -> None:
    session = (await world.get("createSession", chat, url=pages.url("/tall")))["sessionId"]
    down = await world.get("scrollPage", chat, sessionId=session, direction="down")
    assert (down["x"], down["y"]) == (0, 500)
    up = await world.get("scrollPage", chat, sessionId=session, direction="up", amount=200)
    assert (up["y"], up["maxY"] > 30_000) == (300, True)
    await world.get("navigateToUrl", chat, sessionId=session, url=pages.url("/form"))
    found = await world.get("extractInteractable", chat, sessionId=session)
    assert [one["role"] for one in found["elements"]] == [
        "textbox", "combobox", "checkbox", "textbox", "textbox", "button",
    ]  # fmt: skip
    assert found["elements"][0]["selector"] == "#name"
    assert found["elements"][0]["box"]["width"] > 0


async def test_a_page_is_read_in_every_form_and_kept(world: BrowserWorld, pages: Site, chat: str) -> None:
    session = (await world.get("createSession", chat, url=pages.url("/article")))["sessionId"]
    content = await world.get("extractPageContent", chat, sessionId=session, saveRawHtml=True)
    assert "# On canaries" in content["markdown"]
    assert "menu" not in content["markdown"]
    assert "menu menu" in content["text"]
    assert "<nav>" in content["html"]
    assert 'heading "Colours"' in content["domMap"]
    about = {"title": "On canaries", "url": pages.url("/article"), "timestamp": ANY, "byline": None}
    assert content["metadata"] == about | {"wordCount": 42, "truncated": []}
    (file,) = await world.files.list(Workspace(AGENT, SessionId(chat)))
    assert (file.path, file.file_id) == (content["rawHtmlFile"], content["rawHtmlFileId"])
    assert b"<footer>imprint" in await world.files.read(file)
    plain = await world.get("extractPageContent", chat, sessionId=session)
    assert plain["rawHtmlFile"] is None


async def test_a_long_page_is_cut_and_says_which_forms(world: BrowserWorld, pages: Site, chat: str) -> None:
    session = (await world.get("createSession", chat, url=pages.url("/huge?200")))["sessionId"]
    content = await world.get("extractPageContent", chat, sessionId=session)
    assert len(content["text"]) == len(content["html"]) == 20_000
    assert {"text", "html"} <= set(content["metadata"]["truncated"])


async def test_a_session_of_a_browser_that_is_gone_is_no_other(
    world: BrowserWorld, pages: Site, chat: str
) -> None:
    old = (await world.get("createSession", chat, url=pages.url()))["sessionId"]
    await world.contexts.close(SessionId(chat))
    new = (await world.get("createSession", chat, url=pages.url("/form")))["sessionId"]
    assert old != new
    error = await world.refused("clickElement", chat, sessionId=old, selector="a")
    assert (error.kind, error.path) == ("not_found", "/sessionId")


async def test_a_file_of_this_machine_is_no_page(world: BrowserWorld, chat: str) -> None:
    error = await world.refused("createSession", chat, url="file:///etc/passwd")
    assert (error.kind, error.path) == ("blocked", "/url")


async def test_an_address_that_cannot_be_reached_leaves_no_session(
    world: BrowserWorld, pages: Site, chat: str
) -> None:
    error = await world.refused("createSession", chat, url="http://127.0.0.1:1/")
    assert error.kind == "blocked"
    assert await world.get("listSessions", chat) == {"sessions": []}


async def test_sessions_do_not_grow_without_end(world: BrowserWorld, pages: Site, chat: str) -> None:
    for _ in range(8):
        await world.get("createSession", chat, url=pages.url("/news"))
    error = await world.refused("createSession", chat, url=pages.url("/news"))
    assert "8 pages" in error.message
