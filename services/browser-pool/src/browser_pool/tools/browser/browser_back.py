"""`browser_back`: in the page's history."""

from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import EXTERNAL, Arguments, tool
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.history import gone
from browser_pool.browsing.results import AtPage


class Back(Arguments):
    """Nothing to say."""


class GoneBack(AtPage):
    """Where the page is now."""


@tool("browser_back", family="browser", effect=EXTERNAL, runs_on=RunsOn.BROWSER, source="web")
async def browser_back(args: Back, browser: SessionBrowser) -> GoneBack:
    """Go to the address before this one in the page's history."""
    async with browser.visit() as visit:
        await gone(visit.page, "back")
        await visit.settle()
        return GoneBack(**await visit.where(), **await visit.beside())
