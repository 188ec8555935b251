"""`browser_close`: end the session's browser."""

from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import EXTERNAL_IDEMPOTENT, Arguments, Result, tool
from browser_pool.browsing.browser import SessionBrowser


class Close(Arguments):
    """Nothing to say."""


class Closed(Result):
    """`was_open`: whether there was one."""

    ok: bool = True
    was_open: bool


@tool("browser_close", family="browser", effect=EXTERNAL_IDEMPOTENT, runs_on=RunsOn.BROWSER)
async def browser_close(args: Close, browser: SessionBrowser) -> Closed:
    """Close this session's browser with its pages, cookies and logins."""
    return Closed(was_open=await browser.close())
