"""What waits for a person."""

from typing import Annotated

from fastapi import Query

from agent_contracts.api.waiting import WaitingThings
from gateway.http.wire.parameters import (
    LIMIT,
    AgentFilter,
    Cursor,
    MinSequence,
    Using,
)
from gateway.http.wire.resource import resource

router = resource("sessions")


@router.get("/attention", operation_id="listWaiting")
async def list_waiting(
    operations: Using,
    agent_id: AgentFilter,
    cursor: Cursor = None,
    limit: Annotated[int, Query(ge=1, le=100, description=LIMIT)] = 50,
    min_sequence: MinSequence = None,
) -> WaitingThings:
    """A page of what goes on only when a person does something, newest first: of one agent, or of all. What
    other services left for later is in the agents' inboxes."""
    return await operations.reading.waiting(agent_id, cursor, limit, min_sequence)
