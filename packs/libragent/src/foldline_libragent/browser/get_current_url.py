"""`getCurrentUrl`: where it is."""

from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_tools.ports import BrowserPages, OtherTools
from agent_tools.tool import PURE, Result, tool
from foldline_libragent.browser.shapes import OfSession, on_page


class GetCurrentUrl(OfSession):
    """Of which session."""


class CurrentUrl(Result):
    """Where the page is."""

    url: str


@tool(
    "getCurrentUrl",
    family="browser",
    effect=PURE,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_current_page", "browser"),
)
async def get_current_url(args: GetCurrentUrl, pages: BrowserPages, tools: OtherTools) -> CurrentUrl:
    """Tell the address of the page of a browser session."""
    done = await on_page(pages, tools, args.session_id, "browser_current_page", {})
    return CurrentUrl(url=done["url"])
