"""`browser_forward`: in the page's history."""

from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import EXTERNAL, Arguments, tool
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.history import gone
from browser_pool.browsing.results import AtPage


class Forward(Arguments):
    """Nothing to say."""


class GoneForward(AtPage):
    """Where the page is now."""


@tool("browser_forward", family="browser", effect=EXTERNAL, runs_on=RunsOn.BROWSER, source="web")
async def browser_forward(args: Forward, browser: SessionBrowser) -> GoneForward:
    """Go to the address after this one in the page's history."""
    async with browser.visit() as visit:
        await gone(visit.page, "forward")
        await visit.settle()
        return GoneForward(**await visit.where(), **await visit.beside())
