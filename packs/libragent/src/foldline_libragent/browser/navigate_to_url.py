"""`navigateToUrl`: another address."""

from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_tools.ports.browser import BrowserPages
from agent_tools.ports.running import OtherTools
from agent_tools.tool import EXTERNAL, tool
from foldline_libragent.browser.shapes import OfSession, Shown, on_page, shown


class NavigateToUrl(OfSession):
    """Which one, and where to."""

    url: Annotated[str, Field(min_length=1, max_length=8_000, description="http or https.")]


@tool(
    "navigateToUrl",
    family="browser",
    effect=EXTERNAL,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_navigate", "browser"),
)
async def navigate_to_url(args: NavigateToUrl, pages: BrowserPages, tools: OtherTools) -> Shown:
    """Go to an address in a browser session."""
    done = await on_page(pages, tools, args.session_id, "browser_navigate", {"url": args.url})
    return Shown(**shown(args.session_id, done))
