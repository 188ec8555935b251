"""`beads_create`: put something on the board."""

from typing import Annotated

from pydantic import Field

from agent_tools.ports.agent import AgentState
from agent_tools.ports.database import AgentDatabase
from agent_tools.text import Text
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_protoagent.beads.board import Description, IssueType, NewTitle, created


class BeadsCreate(Arguments):
    """What is to be done."""

    title: NewTitle
    description: Description = ""
    priority: Annotated[int, Field(ge=0, le=3, description="0 is the most urgent.")] = 2
    issue_type: IssueType = "task"


@tool("beads_create", family="beads", effect=RECORDED)
async def beads_create(args: BeadsCreate, database: AgentDatabase, state: AgentState) -> Text:
    """Put something on your board of things to do, where the user sees it too: plan there what takes several
    steps."""
    bead = await created((database, state), args.title, args.description, args.priority, args.issue_type)
    return Text(text=f"Created {bead.id}: {bead.title} ({bead.issue_type}, p{bead.priority})")
