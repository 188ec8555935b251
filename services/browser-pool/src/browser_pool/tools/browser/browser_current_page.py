"""`browser_current_page`: where the browser is."""

from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import PURE, Arguments, tool
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.results import AtPage


class CurrentPage(Arguments):
    """Nothing to say."""


class Current(AtPage):
    """The page's name among the open ones, its address and title."""

    page: str


@tool("browser_current_page", family="browser", effect=PURE, runs_on=RunsOn.BROWSER, source="web")
async def browser_current_page(args: CurrentPage, browser: SessionBrowser) -> Current:
    """Tell the current page's address and title."""
    async with browser.visit() as visit:
        return Current(page=visit.context.name, **await visit.where(), **await visit.beside(store=False))
