"""`scrollPage`: see more of it."""

from typing import Annotated, Literal

from pydantic import Field

from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_tools.ports.browser import BrowserPages
from agent_tools.ports.running import OtherTools
from agent_tools.tool import EXTERNAL, tool
from foldline_libragent.browser.shapes import OfSession, Shown, on_page, shown


class ScrollPage(OfSession):
    """Which one, and where to."""

    direction: Literal["up", "down", "left", "right"]
    amount: Annotated[int, Field(ge=1, le=100_000, description="Pixels.")] = 500


class Scrolled(Shown):
    """How far it is scrolled now, and how far it can be, in pixels."""

    x: int
    y: int
    max_x: int
    max_y: int


@tool(
    "scrollPage",
    family="browser",
    effect=EXTERNAL,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_scroll", "browser"),
)
async def scroll_page(args: ScrollPage, pages: BrowserPages, tools: OtherTools) -> Scrolled:
    """Scroll the page of a browser session."""
    asked = {"direction": args.direction, "amount": args.amount}
    done = await on_page(pages, tools, args.session_id, "browser_scroll", asked)
    far = {name: done[name] for name in ("x", "y", "max_x", "max_y")}
    return Scrolled(**shown(args.session_id, done), **far)
