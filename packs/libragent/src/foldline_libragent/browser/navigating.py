"""Tools for browser sessions and their pages."""

import contextlib
from typing import Annotated

from pydantic import Field

from agent_contracts.errors import Failure, Rejected
from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_platform.log.storable_text import storable_text
from agent_tools.ports.browser import BrowserPages
from agent_tools.ports.running import OtherTools
from agent_tools.text import TextResult
from agent_tools.tool import EXTERNAL, PURE, Arguments, Result, tool
from foldline_libragent.browser.shapes import (
    BrowserSessionResult,
    CamelCased,
    OfSession,
    at_session,
    on_page,
    shown,
)


class CloseSession(OfSession):
    """Which one."""


class BrowserSessionCloseResult(Result):
    """It is closed."""

    closed: bool = True


@tool(
    "closeSession",
    family="browser",
    effect=EXTERNAL,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    alias_of=CoreTool("browser_pages", "browser"),
)
async def close_session(args: CloseSession, pages: BrowserPages) -> BrowserSessionCloseResult:
    """Close a browser session."""
    try:
        await pages.close(args.session_id)
    except Rejected as refused:
        raise at_session(refused) from refused
    return BrowserSessionCloseResult()


class CreateBrowserSession(Arguments):
    """Where it begins, and what it is called."""

    url: Annotated[str, Field(min_length=1, max_length=8_000, description="http or https.")]
    title: Annotated[str | None, Field(max_length=200, description="What you call it.")] = None


@tool(
    "createSession",
    family="browser",
    effect=EXTERNAL,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_navigate", "browser"),
)
async def create_session(
    args: CreateBrowserSession, pages: BrowserPages, tools: OtherTools
) -> BrowserSessionResult:
    """Open a browser session at an address. Its id is in the result; the other browser tools take it."""
    session_id = await pages.open(storable_text(args.title or ""))
    try:
        done = await on_page(pages, tools, session_id, "browser_navigate", {"url": args.url})
    except Failure:
        with contextlib.suppress(Failure):  # its browser may be gone, which is why it failed
            await pages.close(session_id)
        raise
    return BrowserSessionResult(**shown(session_id, done))


class GetCurrentUrl(OfSession):
    """Of which session."""


@tool(
    "getCurrentUrl",
    family="browser",
    effect=PURE,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_current_page", "browser"),
)
async def get_current_url(args: GetCurrentUrl, pages: BrowserPages, tools: OtherTools) -> TextResult:
    """Tell the address of the page of a browser session."""
    done = await on_page(pages, tools, args.session_id, "browser_current_page", {})
    return TextResult(text=done["url"])


class GetPageTitle(OfSession):
    """Of which session."""


@tool(
    "getPageTitle",
    family="browser",
    effect=PURE,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_current_page", "browser"),
)
async def get_page_title(args: GetPageTitle, pages: BrowserPages, tools: OtherTools) -> TextResult:
    """Tell the title of the page of a browser session."""
    done = await on_page(pages, tools, args.session_id, "browser_current_page", {})
    return TextResult(text=done["title"])


class ListBrowserSessions(Arguments):
    """Nothing to say."""


class BrowserSession(CamelCased):
    """A browser session, and where it is."""

    session_id: str
    url: str
    title: str


class BrowserSessionList(Result):
    """Oldest first."""

    sessions: list[BrowserSession]


@tool(
    "listSessions",
    family="browser",
    effect=PURE,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_pages", "browser"),
)
async def list_sessions(args: ListBrowserSessions, pages: BrowserPages) -> BrowserSessionList:
    """List the browser sessions that are open, with address and title."""
    found = [
        BrowserSession(session_id=one.page_id, url=one.url, title=one.title) for one in await pages.list()
    ]
    return BrowserSessionList(sessions=found)


class NavigateBack(OfSession):
    """Which one."""


@tool(
    "navigateBack",
    family="browser",
    effect=EXTERNAL,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_back", "browser"),
)
async def navigate_back(args: NavigateBack, pages: BrowserPages, tools: OtherTools) -> BrowserSessionResult:
    """Go back in the history of a browser session."""
    done = await on_page(pages, tools, args.session_id, "browser_back", {})
    return BrowserSessionResult(**shown(args.session_id, done))


class NavigateForward(OfSession):
    """Which one."""


@tool(
    "navigateForward",
    family="browser",
    effect=EXTERNAL,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_forward", "browser"),
)
async def navigate_forward(
    args: NavigateForward, pages: BrowserPages, tools: OtherTools
) -> BrowserSessionResult:
    """Go forward in the history of a browser session."""
    done = await on_page(pages, tools, args.session_id, "browser_forward", {})
    return BrowserSessionResult(**shown(args.session_id, done))


class NavigateToUrl(OfSession):
    """Which one, and where to."""

    url: Annotated[str, Field(min_length=1, max_length=8_000, description="http or https.")]


@tool(
    "navigateToUrl",
    family="browser",
    effect=EXTERNAL,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_navigate", "browser"),
)
async def navigate_to_url(
    args: NavigateToUrl, pages: BrowserPages, tools: OtherTools
) -> BrowserSessionResult:
    """Go to an address in a browser session."""
    done = await on_page(pages, tools, args.session_id, "browser_navigate", {"url": args.url})
    return BrowserSessionResult(**shown(args.session_id, done))
