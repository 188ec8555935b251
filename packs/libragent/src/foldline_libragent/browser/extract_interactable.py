"""`extractInteractable`: what can be acted on."""

from typing import Any

from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_tools.ports.browser import BrowserPages
from agent_tools.ports.running import OtherTools
from agent_tools.tool import PURE, tool
from foldline_libragent.browser.shapes import OfSession, Shown, on_page, shown


class ExtractInteractable(OfSession):
    """In which session."""


class Interactables(Shown):
    """Role, name, tag, type, value, href, whether it is disabled and in view, box in pixels, and a selector
    that matches it alone, of each element in the order of the page. `truncated` after 500."""

    elements: list[dict[str, Any]]
    truncated: bool


@tool(
    "extractInteractable",
    family="browser",
    effect=PURE,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_extract_interactable", "browser"),
)
async def extract_interactable(
    args: ExtractInteractable, pages: BrowserPages, tools: OtherTools
) -> Interactables:
    """List what can be clicked or filled in on the page of a browser session, with selectors and boxes."""
    done = await on_page(pages, tools, args.session_id, "browser_extract_interactable", {})
    found = {"elements": done["elements"], "truncated": done["truncated"]}
    return Interactables(**shown(args.session_id, done), **found)
