"""`createSession`: a page of its own."""

import contextlib
from typing import Annotated

from pydantic import Field

from agent_contracts.errors import Failure
from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_platform.log.storable_text import storable_text
from agent_tools.ports.browser import BrowserPages
from agent_tools.ports.running import OtherTools
from agent_tools.tool import EXTERNAL, Arguments, tool
from foldline_libragent.browser.shapes import Shown, on_page, shown


class CreateSession(Arguments):
    """Where it begins, and what it is called."""

    url: Annotated[str, Field(min_length=1, max_length=8_000, description="http or https.")]
    title: Annotated[str | None, Field(max_length=200, description="What you call it.")] = None


@tool(
    "createSession",
    family="browser",
    effect=EXTERNAL,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_navigate", "browser"),
)
async def create_session(args: CreateSession, pages: BrowserPages, tools: OtherTools) -> Shown:
    """Open a browser session at an address. Its id is in the result; the other browser tools take it."""
    session_id = await pages.open(storable_text(args.title or ""))
    try:
        done = await on_page(pages, tools, session_id, "browser_navigate", {"url": args.url})
    except Failure:
        with contextlib.suppress(Failure):  # its browser may be gone, which is why it failed
            await pages.close(session_id)
        raise
    return Shown(**shown(session_id, done))
