"""`clickElement`: with a diagnosis if it fails."""

from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_tools.ports.browser import BrowserPages
from agent_tools.ports.running import OtherTools
from agent_tools.tool import EXTERNAL, tool
from foldline_libragent.browser.shapes import OfSession, Shown, on_page, shown


class ClickElement(OfSession):
    """In which session, and what."""

    selector: Annotated[
        str, Field(min_length=1, max_length=2_000, description="CSS; the first match counts.")
    ]


class Clicked(Shown):
    """It was clicked; where the page is now."""

    success: bool = True


@tool(
    "clickElement",
    family="browser",
    effect=EXTERNAL,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_click", "browser"),
)
async def click_element(args: ClickElement, pages: BrowserPages, tools: OtherTools) -> Clicked:
    """Click an element of a browser session. If it can't be clicked, nothing is done, and the error says
    which check failed (not_found, hidden, zero_size, disabled, outside, covered) with what was measured."""
    done = await on_page(pages, tools, args.session_id, "browser_click", {"selector": args.selector})
    return Clicked(**shown(args.session_id, done))
