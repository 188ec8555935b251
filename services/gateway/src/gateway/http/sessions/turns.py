"""Turns: what came of a message."""

from typing import Annotated

from fastapi import Path

from agent_contracts.api.turns import Turn
from agent_contracts.log.address import PATTERN, parse_address
from gateway.http.wire.parameters import SessionPath, Using, WaitQuery
from gateway.http.wire.resource import resource

router = resource("messages")

LATEST = "latest"


@router.get("/sessions/{session_id}/turns/{turn_id}", operation_id="getTurn")
async def get_turn(
    operations: Using,
    session_id: SessionPath,
    turn_id: Annotated[
        str,
        Path(
            max_length=20,
            pattern=f"^{LATEST}$|{PATTERN}",
            description=f"Address of the turn's message, or `{LATEST}`: the newest turn.",
        ),
    ],
    wait: WaitQuery = 0,
) -> Turn:
    """Read what came of a message: its status, the answer, what waits for a person, and usage.

    With `wait`, the answer comes once the turn has ended or waits for a person."""
    latest = turn_id == LATEST
    message = await operations.turns.newest(session_id) if latest else parse_address(turn_id)
    return await operations.turns.wait(session_id, message, wait)
