"""What commands did."""

from typing import Annotated

from fastapi import Query

from agent_contracts.api.egress import CommandPage
from agent_contracts.worked import LONGEST_PATH, Ending
from gateway.http.wire.parameters import AgentFilter, MinSequence, SessionFilter, Using
from gateway.http.wire.resource import resource
from gateway.queries.worked import CommandQuery

router = resource("operators")

_TEXT = r"^[^\x00]*$"
_COMMAND = "commands with this in their text, in whatever case"
_PATH = "commands that touched a file with this in its path, in whatever case"
CommandFilter = Annotated[
    str | None, Query(min_length=1, max_length=500, pattern=_TEXT, description=_COMMAND)
]
TouchedFilter = Annotated[
    str | None, Query(min_length=1, max_length=LONGEST_PATH, pattern=_TEXT, description=_PATH)
]
EndingFilter = Annotated[Ending | None, Query(description="how it ended")]


@router.get("/commands", operation_id="listCommands")
async def list_commands(
    operations: Using,
    agent_id: AgentFilter,
    session_id: SessionFilter,
    command: CommandFilter = None,
    file: TouchedFilter = None,
    ending: EndingFilter = None,
    cursor: Annotated[str | None, Query(max_length=400)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    min_sequence: MinSequence = None,
) -> CommandPage:
    """A page of the commands that ran in the name of agents' calls, newest first, with the files of the
    workspace that each touched. One in the background is told by each call that looked at it. A call tells
    with its result: what a workspace host ran that died before is not among them."""
    wanted = CommandQuery(agent_id, session_id, command, file, ending)
    return await operations.reading.worked(wanted, cursor, limit, min_sequence)
