"""LibrAgent's browser tools as its documentation has them, by table, in a real Chromium.

The rest is `test_seed.py`'s.
"""

import itertools
from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import ANY

import pytest
import pytest_asyncio

import foldline_libragent
from agent_contracts.ids import SessionId
from agent_contracts.tool_spec import RunsOn
from agent_tools.registry import Pack, Registry, tools_in
from browser_pool.pool_tools import discover
from foldline_testing.agent_tools.seeds import Call, Like, Run, Seed, Taken, flaws, renamed
from foldline_testing.browser_pool.site import Site, site
from foldline_testing.browser_pool.world import BrowserWorld, browser_world

pytestmark = pytest.mark.browser

_numbers = itertools.count(1)

TOOLS = {tool.spec.name: tool for tool in tools_in(foldline_libragent) if tool.spec.runs_on is RunsOn.BROWSER}
STRING, NOT_BLANK = "Input should be a valid string", "String should have at least 1 character"
ID = r"[A-Za-z0-9_]+-p\d+"
OF = {"sessionId": Taken(0, ID)}
NOT_DONE = "nothing was done"
BUTTON = {
    "role": "button", "name": "Press me", "tag": "button", "type": "submit", "value": "", "href": None,
    "disabled": False, "in_view": True, "box": {"x": ANY, "y": ANY, "width": ANY, "height": ANY},
    "selector": "html > body > button",
}  # fmt: skip
GONE = [({"sessionId": "none-p1"}, "there is no browser session 'none-p1'")]


def opened(path: str) -> Call:
    """A session of its own at a page."""
    return "createSession", {"url": f"http://a.test{path}"}


def at(path: str, title: str) -> dict[str, Any]:
    """Where a session is."""
    return {"sessionId": Like(ID), "url": f"http://a.test{path}", "title": title, "beside": {}}


SEEDS = {
    "createSession": Seed(
        {"url": "http://a.test/"}, {"title": None}, ("title", 1, STRING), at("/", "Home"),
        more={"title": "My Browser Session"},
    ),
    "closeSession": Seed(OF, {}, ("sessionId", 1, STRING), {"closed": True}, [opened("/")], refuses=GONE),
    "listSessions": Seed(
        {}, {}, None,
        {"sessions": [{"sessionId": Like(ID), "url": "http://a.test/", "title": "Home"}]}, [opened("/")],
    ),
    "navigateToUrl": Seed(
        OF | {"url": "http://a.test/form"}, {}, ("url", "", NOT_BLANK), at("/form", "Order"), [opened("/")],
        refuses=GONE,
    ),
    "navigateBack": Seed(
        OF, {}, ("sessionId", 1, STRING), at("/", "Home"),
        [opened("/"), ("browser_navigate", {"url": "http://a.test/form"})], refuses=GONE,
    ),
    "navigateForward": Seed(
        OF, {}, ("sessionId", 1, STRING), at("/form", "Order"),
        [opened("/"), ("browser_navigate", {"url": "http://a.test/form"}), ("browser_back", {})],
        refuses=GONE,
    ),
    "getCurrentUrl": Seed(OF, {}, ("sessionId", 1, STRING), "http://a.test/", [opened("/")], refuses=GONE),
    "getPageTitle": Seed(OF, {}, ("sessionId", 1, STRING), "Home", [opened("/")], refuses=GONE),
    "scrollPage": Seed(
        OF | {"direction": "down"}, {"amount": 500},
        ("direction", "in", "Input should be 'up', 'down', 'left' or 'right'"),
        at("/tall", "Tall") | {"x": 0, "y": 500, "maxX": 0, "maxY": ANY}, [opened("/tall")], refuses=GONE,
    ),
    "clickElement": Seed(
        OF | {"selector": "#fine"}, {}, ("selector", 1, STRING), at("/clicks", "clicked") | {"success": True},
        [opened("/clicks")],
        refuses=[
            *GONE,
            ({"selector": "#nothing"}, "no element of the page matches '#nothing'"),
            ({"selector": "#hidden"},
             f'{NOT_DONE}: <button id="hidden"> is hidden (display none, visibility visible)'),
            ({"selector": "#empty"}, f'{NOT_DONE}: <button id="empty"> has no size (0 × 0)'),
            ({"selector": "#away"},
                f'{NOT_DONE}: <button id="away"> can\'t be scrolled into view: its middle is '
             "outside of the 1280 × 800 that are seen"),
            ({"selector": "#disabled"}, f'{NOT_DONE}: <button id="disabled"> is disabled'),
            ({"selector": "#under"},
             f'{NOT_DONE}: <button id="under"> is covered by <div id="cover" class="veil">'),
        ],
    ),
    "inputText": Seed(
        OF | {"selector": "#name", "text": "Ada"}, {}, ("text", 1, STRING),
        at("/form", "Order") | {"success": True}, [opened("/form")],
        refuses=[*GONE, ({"selector": "[name=locked]"}, f"{NOT_DONE}: <input> is read-only")],
    ),
    "extractPageContent": Seed(
        OF, {"saveRawHtml": False}, ("saveRawHtml", "no", "Input should be a valid boolean"),
        at("/news", "News") | {
            "markdown": "Nothing new.", "text": "Nothing new.", "html": ANY, "domMap": ANY,
            "metadata": {
                "title": "News", "url": "http://a.test/news", "timestamp": Like(r"20\d\d-.+Z"),
                "byline": None,
                "wordCount": 2, "truncated": [],
            },
            "rawHtmlFile": None, "rawHtmlFileId": None,
        },
        [opened("/news")], refuses=GONE,
    ),
    "extractInteractable": Seed(
        OF, {}, ("sessionId", 1, STRING), at("/inner", "") | {"elements": [BUTTON], "truncated": False},
        [opened("/inner")], refuses=GONE,
    ),
}  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pages() -> AsyncIterator[Site]:
    """The site of the tests."""
    async with site() as here:
        yield here


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world() -> AsyncIterator[BrowserWorld]:
    """A pool with the pack's tools beside its own."""
    registry = Registry([*discover(()).packs, Pack("libragent", "1", tuple(TOOLS.values()))])
    async with browser_world(registry=registry) as world:
        yield world


@pytest_asyncio.fixture(loop_scope="module")
async def run(world: BrowserWorld, pages: Site) -> AsyncIterator[Run]:
    """The pool's runner, with a browser of its own."""
    session = f"s{next(_numbers)}"

    async def call(tool: str, arguments: dict[str, Any]) -> Any:
        return await world.call(tool, arguments, session)

    yield renamed(call, "http://a.test/", pages.url("/"))
    await world.contexts.close(SessionId(session))


def test_each_tool_has_a_row() -> None:
    assert TOOLS.keys() == SEEDS.keys()


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", SEEDS)
async def test_it_takes_gives_and_refuses_what_the_seed_says(run: Run, name: str) -> None:
    found = await flaws(run, TOOLS[name].spec, SEEDS[name])
    assert found == [], "\n".join(found)
