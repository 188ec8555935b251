"""`inputText`: into a field."""

from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_tools.ports.browser import BrowserPages
from agent_tools.ports.running import OtherTools
from agent_tools.tool import EXTERNAL, tool
from foldline_libragent.browser.shapes import OfSession, Shown, on_page, shown


class InputText(OfSession):
    """In which session, where, and what."""

    selector: Annotated[
        str, Field(min_length=1, max_length=2_000, description="CSS; the first match counts.")
    ]
    text: Annotated[str, Field(max_length=100_000, description="Replaces what is in it.")]


class Put(Shown):
    """It is in the field."""

    success: bool = True


@tool(
    "inputText",
    family="browser",
    effect=EXTERNAL,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_type", "browser"),
)
async def input_text(args: InputText, pages: BrowserPages, tools: OtherTools) -> Put:
    """Put text into a field of a browser session, or choose an option of a select. If it can't be done, the
    error says which check failed."""
    asked = {"selector": args.selector, "text": args.text, "clear_first": True}
    done = await on_page(pages, tools, args.session_id, "browser_type", asked)
    return Put(**shown(args.session_id, done))
