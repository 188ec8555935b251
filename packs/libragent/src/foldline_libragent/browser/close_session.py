"""`closeSession`: close its page."""

from agent_contracts.errors import Rejected
from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_tools.ports.browser import BrowserPages
from agent_tools.tool import EXTERNAL, Result, tool
from foldline_libragent.browser.shapes import OfSession, at_session


class CloseSession(OfSession):
    """Which one."""


class Closed(Result):
    """It is closed."""

    closed: bool = True


@tool(
    "closeSession",
    family="browser",
    effect=EXTERNAL,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    alias_of=CoreTool("browser_pages", "browser"),
)
async def close_session(args: CloseSession, pages: BrowserPages) -> Closed:
    """Close a browser session."""
    try:
        await pages.close(args.session_id)
    except Rejected as refused:
        raise at_session(refused) from refused
    return Closed()
