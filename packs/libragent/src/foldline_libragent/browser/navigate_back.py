"""`navigateBack`: in the history of its page."""

from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_tools.ports.browser import BrowserPages
from agent_tools.ports.running import OtherTools
from agent_tools.tool import EXTERNAL, tool
from foldline_libragent.browser.shapes import OfSession, Shown, on_page, shown


class NavigateBack(OfSession):
    """Which one."""


@tool(
    "navigateBack",
    family="browser",
    effect=EXTERNAL,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_back", "browser"),
)
async def navigate_back(args: NavigateBack, pages: BrowserPages, tools: OtherTools) -> Shown:
    """Go back in the history of a browser session."""
    done = await on_page(pages, tools, args.session_id, "browser_back", {})
    return Shown(**shown(args.session_id, done))
