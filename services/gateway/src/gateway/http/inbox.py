"""Wakes that wait for a person, or for the agent's next look."""

from typing import Annotated

from fastapi import Path, Query

from agent_contracts.ids import SessionId
from agent_contracts.wakes import INBOX_LIMIT
from gateway.http.idempotency import KeyHeader, asked
from gateway.http.parameters import AgentFilter, AgentPath, Using
from gateway.http.request import Id, Request
from gateway.http.resource import resource
from gateway.operations.agents.written import Deleted
from gateway.operations.sessions.inputs import Accepted
from gateway.operations.wakes.inbox import Inbox

router = resource("wakes")

_ONE = "/agents/{agent_id}/inbox/{inbox_id}"

InboxPath = Annotated[str, Path(max_length=64, pattern="^[A-Za-z0-9_-]+$", description="the wake's id here")]


class Hand(Request):
    """The session that is to be told."""

    session_id: Id


@router.get("/inbox", operation_id="listInbox")
async def list_inbox(
    operations: Using, agent_id: AgentFilter, limit: Annotated[int, Query(ge=1, le=INBOX_LIMIT)] = 100
) -> Inbox:
    """The wakes that wait, oldest first: for one agent, or for all."""
    return await operations.inboxes.list(agent_id, limit)


@router.post(f"{_ONE}/hand", status_code=202, operation_id="handInboxWake")
async def hand(operations: Using, agent_id: AgentPath, inbox_id: InboxPath, body: Hand) -> Accepted:
    """Wake a session of the agent with it."""
    return await operations.inboxes.hand(agent_id, inbox_id, SessionId(body.session_id))


@router.delete(_ONE, operation_id="dismissInboxWake")
async def dismiss(
    operations: Using, agent_id: AgentPath, inbox_id: InboxPath, key: KeyHeader = None
) -> Deleted:
    """Throw it away."""
    return await operations.inboxes.dismiss(agent_id, inbox_id, asked(key))
