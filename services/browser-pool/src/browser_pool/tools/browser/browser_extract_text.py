"""`browser_extract_text`: what the page says."""

from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import PURE, tool
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.results import Answered
from browser_pool.browsing.targets import MaybeOfElement, located
from browser_pool.browsing.texts import text_of


class ExtractText(MaybeOfElement):
    """Of an element, else of the whole page."""


class ExtractedText(Answered):
    """The text as it is seen; `truncated` after 1 MiB."""

    text: str
    truncated: bool = False


@tool("browser_extract_text", family="browser", effect=PURE, runs_on=RunsOn.BROWSER, source="web")
async def browser_extract_text(args: ExtractText, browser: SessionBrowser) -> ExtractedText:
    """Read the visible text of the page or of one element."""
    async with browser.visit() as visit:
        text, cut = await text_of(await located(visit.page, args), "innerText")
        return ExtractedText(text=text, truncated=cut, **await visit.beside(store=False))
