"""`listSessions`: those that are open."""

from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_tools.ports.browser import BrowserPages
from agent_tools.tool import PURE, Arguments, Result, tool
from foldline_libragent.browser.shapes import CamelCased


class ListSessions(Arguments):
    """Nothing to say."""


class Listed(CamelCased):
    """A browser session, and where it is."""

    session_id: str
    url: str
    title: str


class Sessions(Result):
    """Oldest first."""

    sessions: list[Listed]


@tool(
    "listSessions",
    family="browser",
    effect=PURE,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_pages", "browser"),
)
async def list_sessions(args: ListSessions, pages: BrowserPages) -> Sessions:
    """List the browser sessions that are open, with address and title."""
    found = [Listed(session_id=one.page_id, url=one.url, title=one.title) for one in await pages.list()]
    return Sessions(sessions=found)
