"""`beads_list`: what is on the board."""

from typing import Annotated

from pydantic import Field

from agent_tools.ports.database import AgentDatabase
from agent_tools.text import Text
from agent_tools.tool import PURE, Arguments, tool
from foldline_protoagent.beads.board import listed


class BeadsList(Arguments):
    """Which."""

    include_closed: Annotated[bool, Field(description="What is done, too.")] = False


@tool("beads_list", family="beads", effect=PURE)
async def beads_list(args: BeadsList, database: AgentDatabase) -> Text:
    """List what is on your board, the most urgent first."""
    beads, in_all = await listed(database, closed=args.include_closed)
    if not beads:
        return Text(text="No issues on the board.")
    more = [f"… and {in_all - len(beads):,} more"] if in_all > len(beads) else []
    return Text(text="\n".join([*(bead.line for bead in beads), *more]))
