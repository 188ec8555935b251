"""`beads_close`: something on the board is over."""

from typing import Annotated

from pydantic import Field

from agent_tools.ports.agent import AgentState
from agent_tools.ports.database import AgentDatabase
from agent_tools.text import Text
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_protoagent.beads.board import IssueId, changed


class BeadsClose(Arguments):
    """Which, and why."""

    issue_id: IssueId
    reason: Annotated[str, Field(max_length=2_000, description="Done, or why it won't be.")] = ""


@tool("beads_close", family="beads", effect=RECORDED)
async def beads_close(args: BeadsClose, database: AgentDatabase, state: AgentState) -> Text:
    """Close something on your board, because it is done or won't be."""
    bead = await changed((database, state), args.issue_id, {"status": "closed", "reason": args.reason})
    return Text(text=f"Closed {bead.id}: {bead.title}")
