"""`beads_update`: change what is on the board."""

from typing import Annotated, Literal

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_tools.ports.agent import AgentState
from agent_tools.ports.database import AgentDatabase
from agent_tools.text import Text
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_protoagent.beads.board import Description, IssueId, IssueType, Status, Title, changed


class BeadsUpdate(Arguments):
    """Which, and what of it; what is empty stays as it is."""

    issue_id: IssueId
    status: Status | Literal[""] = ""
    title: Title = ""
    description: Description = ""
    priority: Annotated[int, Field(ge=-1, le=3, description="0 to 3; -1 keeps it.")] = -1
    issue_type: IssueType | Literal[""] = ""


@tool("beads_update", family="beads", effect=RECORDED)
async def beads_update(args: BeadsUpdate, database: AgentDatabase, state: AgentState) -> Text:
    """Change something on your board: how it stands, its title, description, priority or type."""
    fields: dict[str, Json] = {
        name: value
        for name in ("status", "title", "description", "issue_type")
        if (value := getattr(args, name))
    }
    if args.priority >= 0:
        fields["priority"] = args.priority
    if not fields:
        raise Rejected("Error: nothing to change was given", kind=ErrorKind.INVALID_ARGUMENTS)
    bead = await changed((database, state), args.issue_id, fields)
    return Text(text=f"Updated {bead.id}: [{bead.status}] {bead.title}")
