"""`browser_navigate`: open an address."""

import asyncio
import re
from typing import Annotated, Literal

from playwright.async_api import Error, Page, Response
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
_TRIES, _AGAIN_S = 4, 0.3
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
    """What is left of a navigation that failed just before may come in between: then once more."""
    for _ in range(_TRIES - 1):
        try:
            return await page.goto(url, wait_until="commit", timeout=STEP_S * 1000)
        except Error as error:
            if "interrupted by another navigation" not in str(error):
                raise
        await asyncio.sleep(_AGAIN_S)
    return await page.goto(url, wait_until="commit", timeout=STEP_S * 1000)


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
