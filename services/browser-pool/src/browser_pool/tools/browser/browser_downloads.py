"""`browser_downloads`: what the browser downloaded."""

from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import RECORDED, Arguments, tool
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.results import Answered


class Downloads(Arguments):
    """Nothing to say."""


class Downloaded(Answered):
    """`under_way`: how many still come."""

    under_way: int


@tool("browser_downloads", family="browser", effect=RECORDED, runs_on=RunsOn.BROWSER, source="web")
async def browser_downloads(args: Downloads, browser: SessionBrowser) -> Downloaded:
    """Wait up to ten seconds for downloads that an earlier call began, and make those that are complete files
    of this session. Downloads that end while a click runs are in its result."""
    async with browser.visit() as visit:
        beside = await visit.beside()
        return Downloaded(under_way=len(visit.context.downloads.under_way), **beside)
