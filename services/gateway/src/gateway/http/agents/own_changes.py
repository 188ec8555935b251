"""What an agent changed of itself."""

from typing import Annotated

from fastapi import Path, Query

from agent_contracts.api.changes import OwnChange
from agent_contracts.api.rewinds import AgentRewound
from agent_contracts.api.wire import Page
from agent_contracts.log.address import parse_address
from gateway.http.wire.idempotency import KeyHeader
from gateway.http.wire.parameters import (
    LIMIT,
    AgentPath,
    Cursor,
    MinSequence,
    Using,
)
from gateway.http.wire.resource import resource
from gateway.operations.idempotency import asked
from gateway.queries.agent_events import DATABASE
from gateway.queries.own_changes import CHANGED_KINDS

router = resource("agents", "/agents/{agent_id}/changes")

_KIND = f"Only changes of things of this kind: {', '.join((*CHANGED_KINDS, DATABASE))}."


@router.get("", operation_id="listOwnChanges")
async def list_own_changes(
    operations: Using,
    agent_id: AgentPath,
    kind: Annotated[str | None, Query(max_length=20, description=_KIND)] = None,
    cursor: Cursor = None,
    limit: Annotated[int, Query(ge=1, le=200, description=LIMIT)] = 50,
    min_sequence: MinSequence = None,
) -> Page[OwnChange]:
    """A page of what the agent made, changed and deleted of its own, newest first: what, why, by which
    session, and whether it can be undone. What people changed is not among it, nor files and notepads of
    single chats."""
    return await operations.changes.page(agent_id, kind, cursor, limit, min_sequence)


@router.post("/{address}:undo", operation_id="undoOwnChange")
async def undo_own_change(
    operations: Using,
    agent_id: AgentPath,
    address: Annotated[str, Path(max_length=40, description="Address of the change: `N` or `N.i`.")],
    key: KeyHeader = None,
) -> AgentRewound:
    """Make the thing what it was right before this change. It is a restore, of this one thing: to restore the
    agent to its event (`sequence`) undoes it. 409 where the thing was changed since."""
    where = parse_address(address)
    return await operations.changes.undo(agent_id, where, asked(key, {"undo": str(where)}))
