"""Calls that wait for a person's yes. They are answered as all that waits: by tool-responses."""

from typing import Annotated

from fastapi import Query

from agent_contracts.api.waiting import Approvals
from gateway.http.wire.parameters import AgentFilter, Cursor, MinSequence, Using
from gateway.http.wire.resource import resource

router = resource("sessions")


@router.get("/approvals", operation_id="listApprovals")
async def list_approvals(
    operations: Using,
    agent_id: AgentFilter,
    cursor: Cursor = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    min_sequence: MinSequence = None,
) -> Approvals:
    """A page of the calls that run only with a person's yes, newest first: of one agent, or of all.
    Answer one by its session's tool-responses."""
    return await operations.reading.approvals(agent_id, cursor, limit, min_sequence)
