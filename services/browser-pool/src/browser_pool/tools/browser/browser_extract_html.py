"""`browser_extract_html`: how the page is written."""

from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import PURE, tool
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.results import Answered
from browser_pool.browsing.targets import MaybeOfElement, located
from browser_pool.browsing.texts import text_of


class ExtractHtml(MaybeOfElement):
    """Of an element, else of the body."""

    outer: Annotated[bool, Field(description="With the element's own tag.")] = False


class ExtractedHtml(Answered):
    """The HTML as it is now; `truncated` after 1 MiB."""

    html: str
    truncated: bool = False


@tool("browser_extract_html", family="browser", effect=PURE, runs_on=RunsOn.BROWSER, source="web")
async def browser_extract_html(args: ExtractHtml, browser: SessionBrowser) -> ExtractedHtml:
    """Read the HTML of the page's body or of one element, for structured scraping."""
    async with browser.visit() as visit:
        element = await located(visit.page, args)
        html, cut = await text_of(element, "outerHTML" if args.outer else "innerHTML")
        return ExtractedHtml(html=html, truncated=cut, **await visit.beside(store=False))
