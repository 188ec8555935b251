"""Wakes that wait for a person, or for the agent's next look; and the simplest way to leave one."""

from typing import Annotated

from fastapi import Path, Query
from fastapi import Request as HttpRequest

from agent_contracts.api.sessions import InputReceipt
from agent_contracts.api.versions import DeleteResult
from agent_contracts.api.wakes import Inbox, InboxWake, WakeReceipt, WakeRequest, WakeTarget
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.wakes import INBOX_LIMIT, PERSON
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import (
    LIMIT,
    AgentFilter,
    AgentPath,
    Cursor,
    Using,
)
from gateway.http.wire.resource import resource
from gateway.operations.wakes.wakes import InboxMessage

router = resource("wakes")

_ONE = "/inbox/{agent_id}/{inbox_id}"

InboxPath = Annotated[
    str, Path(max_length=64, pattern="^[A-Za-z0-9_-]+$", description="Id of the entry in the inbox.")
]


@router.post("/inbox", status_code=202, operation_id="leaveInInbox")
async def leave(operations: Using, body: WakeRequest, request: HttpRequest) -> WakeReceipt:
    """Leave a message. `now` begins a session with it at once; the others wait until the agent looks into its
    inbox. Takes wake credentials, like a wake."""
    by = getattr(request.state, "wake_source", PERSON)
    left = InboxMessage(AgentId(body.agent_id), body.text, body.priority, body.source, body.dedup_key)
    return await operations.wakes.leave(by, left)


@router.get("/inbox", operation_id="listInbox")
async def list_inbox(
    operations: Using,
    agent_id: AgentFilter,
    cursor: Cursor = None,
    limit: Annotated[int, Query(ge=1, le=INBOX_LIMIT, description=LIMIT)] = 100,
) -> Inbox:
    """The wakes that wait, oldest first: for one agent, or for all."""
    return await operations.inboxes.list(agent_id, cursor, limit)


@router.post(f"{_ONE}:hand", status_code=202, operation_id="handInboxWake")
async def hand(operations: Using, agent_id: AgentPath, inbox_id: InboxPath, body: WakeTarget) -> InputReceipt:
    """Wake a session of the agent with it."""
    return await operations.inboxes.hand(agent_id, inbox_id, SessionId(body.session_id))


@router.get(_ONE, operation_id="getInboxWake")
async def read(operations: Using, agent_id: AgentPath, inbox_id: InboxPath) -> InboxWake:
    """One that waits."""
    return await operations.inboxes.read(agent_id, inbox_id)


@router.delete(_ONE, operation_id="dismissInboxWake")
async def dismiss(
    operations: Using, agent_id: AgentPath, inbox_id: InboxPath, key: KeyHeader = None
) -> DeleteResult:
    """Throw it away."""
    return await operations.inboxes.dismiss(agent_id, inbox_id, asked(key))
