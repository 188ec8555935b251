"""Tools that go to pages and list them."""

import asyncio
import contextlib
import re
from typing import Annotated, Literal, Self

from playwright.async_api import Error, Frame, Page, Request, Response
from pydantic import Field, model_validator

from agent_contracts.errors import Failure
from agent_contracts.questions.takeover import HAND_OVER
from agent_contracts.tool_spec import RunsOn
from agent_platform.log.storable_text import storable_text
from agent_tools.tool import EXTERNAL, EXTERNAL_IDEMPOTENT, PURE, RECORDED, Arguments, Pause, Result, tool
from browser_pool.browsing.addresses import checked_address
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.failing import failure_of
from browser_pool.browsing.history import gone
from browser_pool.browsing.results import AtPage, BrowserResult
from browser_pool.contexts.session_context import SessionContext
from browser_pool.limits import STEP_S
from browser_pool.takeover.port import TakeoverRequests


class GoBack(Arguments):
    """Nothing to say."""


class GoneBack(AtPage):
    """Where the page is now."""


@tool("browser_back", family="browser", effect=EXTERNAL, runs_on=RunsOn.BROWSER, source="web")
async def browser_back(args: GoBack, browser: SessionBrowser) -> GoneBack:
    """Go to the address before this one in the page's history."""
    async with browser.visit() as visit:
        await gone(visit.page, "back")
        await visit.settle()
        return GoneBack(**await visit.where(), **await visit.beside())


class Close(Arguments):
    """Nothing to say."""


class PageCloseResult(Result):
    """`was_open`: whether there was one."""

    ok: bool = True
    was_open: bool


@tool("browser_close", family="browser", effect=EXTERNAL_IDEMPOTENT, runs_on=RunsOn.BROWSER)
async def browser_close(args: Close, browser: SessionBrowser) -> PageCloseResult:
    """Close this session's browser with its pages, cookies and logins."""
    return PageCloseResult(was_open=await browser.close())


class CurrentPage(Arguments):
    """Nothing to say."""


class CurrentPageResult(AtPage):
    """The page's name among the open ones, its address and title."""

    page: str


@tool("browser_current_page", family="browser", effect=PURE, runs_on=RunsOn.BROWSER, source="web")
async def browser_current_page(args: CurrentPage, browser: SessionBrowser) -> CurrentPageResult:
    """Tell the current page's address and title."""
    async with browser.visit() as visit:
        return CurrentPageResult(
            page=visit.context.name, **await visit.where(), **await visit.beside(store=False)
        )


class ListDownloads(Arguments):
    """Nothing to say."""


class DownloadsResult(BrowserResult):
    """`under_way`: how many still come."""

    under_way: int


@tool("browser_downloads", family="browser", effect=RECORDED, runs_on=RunsOn.BROWSER, source="web")
async def browser_downloads(args: ListDownloads, browser: SessionBrowser) -> DownloadsResult:
    """Wait up to ten seconds for downloads that an earlier call began, and make those that are complete files
    of this session. Downloads that end while a click runs are in its result."""
    async with browser.visit() as visit:
        beside = await visit.beside()
        return DownloadsResult(under_way=len(visit.context.downloads.under_way), **beside)


class GoForward(Arguments):
    """Nothing to say."""


class GoneForward(AtPage):
    """Where the page is now."""


@tool("browser_forward", family="browser", effect=EXTERNAL, runs_on=RunsOn.BROWSER, source="web")
async def browser_forward(args: GoForward, browser: SessionBrowser) -> GoneForward:
    """Go to the address after this one in the page's history."""
    async with browser.visit() as visit:
        await gone(visit.page, "forward")
        await visit.settle()
        return GoneForward(**await visit.where(), **await visit.beside())


class BrowserHandOver(Arguments):
    """What it is for."""

    reason: Annotated[str, Field(min_length=1, max_length=500, description="Why, in a sentence.")]
    instructions: Annotated[
        str | None, Field(max_length=2_000, description="What to do there, in Markdown.")
    ] = None


@tool("browser_hand_over", family="browser", effect=EXTERNAL_IDEMPOTENT, pauses=True, runs_on=RunsOn.BROWSER)
async def browser_hand_over(args: BrowserHandOver, person: TakeoverRequests) -> Pause:
    """Hand the open page to the user for what only they can do, such as a login or a captcha, and wait.

    Gives {"ended": "done"|"declined"|"context_lost", "url", "title"}, or expires. Never ask for a password.
    """
    at, expires_at = await person.take_over()
    show = {"kind": HAND_OVER, "reason": args.reason, "instructions": args.instructions, **at}
    return Pause(show=show, expires_at=expires_at)


WaitUntil = Literal["load", "domcontentloaded", "networkidle"]
_FURTHER_MS = 12_000
_TRIES = 3
_INTERRUPTED = "interrupted by another navigation"
_ERROR_PAGE, _ERROR_PAGE_S = "chrome-error://", 1.5
_LOOKS, _LOOK_S = 20, 0.1
"""How often to look whether a navigation that ended without a page is a download, which is told later."""
_AT = re.compile(r"net::ERR_\w+ at (\S+)")
_PROXYS = (403, 502)
_REFUSED = ("ERR_TUNNEL_CONNECTION_FAILED", "ERR_PROXY_CONNECTION_FAILED")
_DOWNLOADS = ("Download is starting", "net::ERR_ABORTED")


class Navigate(Arguments):
    """Where to."""

    url: Annotated[str, Field(min_length=1, description="http or https.")]
    wait_until: Annotated[WaitUntil, Field(description="When it counts as there.")] = "load"


class NavigationResult(AtPage):
    """Where redirects led. `status` is None where the address gave no page, as for a download. Where
    `still_loading`, it was not there in time, and what came can be read."""

    status: int | None
    still_loading: bool = False


@tool(
    "browser_navigate",
    family="browser",
    effect=EXTERNAL,
    runs_on=RunsOn.BROWSER,
    source="web",
)
async def browser_navigate(args: Navigate, browser: SessionBrowser) -> NavigationResult:
    """Open a web page in this session's browser, which keeps its pages, cookies and logins between calls."""
    url = checked_address(args.url)
    async with browser.visit() as visit:
        response = await _opened(visit.page, url, visit.context)
        if response is not None and response.status in _PROXYS:
            refusal = visit.context.refusal_of(response.url)
            if refusal is not None:
                raise refusal
        still_loading = response is not None and not await _is_there(visit.page, args.wait_until)
        return NavigationResult(
            **await visit.where(),
            status=response.status if response is not None else None,
            still_loading=still_loading,
            **await visit.beside(),
        )


async def _opened(page: Page, url: str, context: SessionContext) -> Response | None:
    before = context.downloads.count
    try:
        return await _gone_to(page, url)
    except Error as error:
        if any(words in str(error) for words in _DOWNLOADS):
            for _ in range(_LOOKS):
                if context.downloads.count > before:
                    return None
                await asyncio.sleep(_LOOK_S)
        raise _refusal(context, url, str(error)) or failure_of(error) from error


async def _gone_to(page: Page, url: str) -> Response | None:
    """Playwright takes any other document that commits meanwhile for an end of this navigation: one of the
    page's own, or the error page of a navigation that a click began. Then the page is left first, without its
    scripts, which may go on to navigate."""
    begun: list[str] = []

    def requested(request: Request) -> None:
        is_new = request.is_navigation_request() and request.redirected_from is None
        if is_new and request.frame.parent_frame is None:
            begun.append(request.url)

    page.on("request", requested)
    try:
        for last in range(_TRIES):
            begun.clear()
            try:
                return await _tried(page, url)
            except Error as error:
                by_page = "net::ERR_ABORTED" in str(error) and len(begun) > 1
                if last == _TRIES - 1 or not (by_page or _INTERRUPTED in str(error)):
                    raise
            await _emptied(page)
    finally:
        page.remove_listener("request", requested)
    raise AssertionError("it was tried")


async def _emptied(page: Page) -> None:
    with contextlib.suppress(Error):
        session = await page.context.new_cdp_session(page)
        try:
            await session.send("Emulation.setScriptExecutionDisabled", {"value": True})
            await session.send("Page.stopLoading")
            await page.goto("about:blank")
        finally:
            await session.send("Emulation.setScriptExecutionDisabled", {"value": False})
            await session.detach()


async def _tried(page: Page, url: str) -> Response | None:
    """A failure is told before Chromium has put its error page there. It is waited for: else it would come in
    between the next navigation, which it would end (11 to 12 of 15 times, in `test_navigating.py`)."""
    shown = asyncio.Event()

    def navigated(frame: Frame) -> None:
        if frame.parent_frame is None and frame.url.startswith(_ERROR_PAGE):
            shown.set()

    page.on("framenavigated", navigated)
    try:
        return await page.goto(url, wait_until="commit", timeout=STEP_S * 1000)
    except Error as error:
        if "net::ERR_" in str(error) and not any(words in str(error) for words in _DOWNLOADS):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_ERROR_PAGE_S):
                    await shown.wait()
        raise
    finally:
        page.remove_listener("framenavigated", navigated)


def _refusal(context: SessionContext, url: str, said: str) -> Failure | None:
    """Of the address that was asked for, or where it redirected to, which the error names."""
    if not any(name in said for name in _REFUSED):
        return None
    found = _AT.search(said)
    return (context.refusal_of(found.group(1)) if found else None) or context.refusal_of(url)


async def _is_there(page: Page, wait_until: WaitUntil) -> bool:
    try:
        await page.wait_for_load_state(wait_until, timeout=_FURTHER_MS)
    except Error as error:
        if "Timeout" not in type(error).__name__:
            raise
        return False
    return True


_TITLE_S = 1.0


class Pages(Arguments):
    """What to do."""

    action: Literal["list", "switch", "close", "new"] = "list"
    page: Annotated[str | None, Field(max_length=20, description="For switch and close, such as p2.")] = None

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.page is not None) != (self.action in ("switch", "close")):
            raise ValueError("`page` goes with switch and close, and only with them")
        return self


class OpenPageResult(Result):
    """One of them; the other tools work on the current one."""

    page: str
    url: str
    title: str
    current: bool


class OpenPages(BrowserResult):
    """All that are open now."""

    pages: list[OpenPageResult]


@tool("browser_pages", family="browser", effect=EXTERNAL, runs_on=RunsOn.BROWSER, source="web")
async def browser_pages(args: Pages, browser: SessionBrowser) -> OpenPages:
    """List the open pages (8 at most), make another one the current one, close one, or open a new one."""
    async with browser.visit() as visit:
        context = visit.context
        if args.action == "new":
            await context.new_page()
        elif args.page is not None and args.action == "switch":
            context.switch(args.page)
        elif args.page is not None:
            await context.close_page(args.page)
        await context.page()
        pages = context.pages
        titles = await asyncio.gather(*map(_title, pages.values()))
        shown = [
            OpenPageResult(
                page=name, url=storable_text(page.url[:2_000]), title=title, current=name == context.name
            )
            for (name, page), title in zip(pages.items(), titles, strict=True)
        ]
        return OpenPages(pages=shown, **await visit.beside())


async def _title(page: Page) -> str:
    with contextlib.suppress(Error, TimeoutError):
        async with asyncio.timeout(_TITLE_S):
            return storable_text((await page.title())[:500])
    return ""
