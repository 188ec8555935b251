"""`getPageTitle`: how it is called."""

from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_tools.ports.browser import BrowserPages
from agent_tools.ports.running import OtherTools
from agent_tools.text import Text
from agent_tools.tool import PURE, tool
from foldline_libragent.browser.shapes import OfSession, on_page


class GetPageTitle(OfSession):
    """Of which session."""


@tool(
    "getPageTitle",
    family="browser",
    effect=PURE,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_current_page", "browser"),
)
async def get_page_title(args: GetPageTitle, pages: BrowserPages, tools: OtherTools) -> Text:
    """Tell the title of the page of a browser session."""
    done = await on_page(pages, tools, args.session_id, "browser_current_page", {})
    return Text(text=done["title"])
