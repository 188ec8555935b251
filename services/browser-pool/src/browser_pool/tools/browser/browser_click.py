"""`browser_click`: click an element."""

from playwright.async_api import Error

from agent_contracts.errors import Transient
from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import EXTERNAL, tool
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.diagnosing import require_clickable
from browser_pool.browsing.dialog_arguments import AnswersDialogs
from browser_pool.browsing.results import AtPage
from browser_pool.browsing.targets import OfElement, located

_CLICK_MS = 8_000


class Click(OfElement, AnswersDialogs):
    """What to click."""


class Clicked(AtPage):
    """It was clicked; where the page is now."""

    ok: bool = True


@tool("browser_click", family="browser", effect=EXTERNAL, runs_on=RunsOn.BROWSER, source="web")
async def browser_click(args: Click, browser: SessionBrowser) -> Clicked:
    """Click an element of the page. If it can't be clicked, the error says which check failed (hidden,
    covered by what, disabled …) and nothing was done."""
    async with browser.visit(args.dialogs) as visit:
        element = await located(visit.page, args)
        await require_clickable(element, args.where)
        try:
            await element.click(timeout=_CLICK_MS)
        except Error as error:
            if "Timeout" not in type(error).__name__:
                raise
            raise Transient("the page did not answer the click in time") from error
        await visit.settle()
        return Clicked(**await visit.where(), **await visit.beside())
