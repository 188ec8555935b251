"""`browser_navigate`: open an address."""

import asyncio
import contextlib
import re
from typing import Annotated, Literal

from playwright.async_api import Error, Frame, Page, Request, Response
from pydantic import Field

from agent_contracts.errors import Failure
from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import EXTERNAL, Arguments, tool
from browser_pool.browsing.addresses import checked_address
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.failing import failure_of
from browser_pool.browsing.results import AtPage
from browser_pool.contexts.session_context import SessionContext
from browser_pool.limits import STEP_S

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


class Navigated(AtPage):
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
async def browser_navigate(args: Navigate, browser: SessionBrowser) -> Navigated:
    """Open a web page in this session's browser, which keeps its pages, cookies and logins between calls."""
    url = checked_address(args.url)
    async with browser.visit() as visit:
        response = await _opened(visit.page, url, visit.context)
        if response is not None and response.status in _PROXYS:
            refusal = visit.context.refusal_of(response.url)
            if refusal is not None:
                raise refusal
        still_loading = response is not None and not await _is_there(visit.page, args.wait_until)
        return Navigated(
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
