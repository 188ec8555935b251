"""Wakes that wait for a person, or for the agent's next look; and the simplest way to leave one."""

from typing import Annotated

from fastapi import Path, Query
from fastapi import Request as HttpRequest
from pydantic import Field

from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.wakes import INBOX_LIMIT, LONGEST_MESSAGE, PERSON, Priority
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentFilter, AgentPath, Using
from gateway.http.wire.request import Id, Request
from gateway.http.wire.resource import resource
from gateway.operations.agents.written import Deleted
from gateway.operations.sessions.inputs import Accepted
from gateway.operations.wakes.inbox import Inbox
from gateway.operations.wakes.wakes import Left, Waked

router = resource("wakes")

_ONE = "/agents/{agent_id}/inbox/{inbox_id}"

InboxPath = Annotated[str, Path(max_length=64, pattern="^[A-Za-z0-9_-]+$", description="the wake's id here")]


class Hand(Request):
    """The session that is to be told."""

    session_id: Id


class Leave(Request):
    """A message for an agent. `source` says who says so; the same `dedup_key` is taken once in 24 hours."""

    text: Annotated[str, Field(min_length=1, max_length=LONGEST_MESSAGE)]
    priority: Priority = "next"
    source: Annotated[str, Field(max_length=80, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""
    dedup_key: Annotated[str, Field(max_length=256, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""
    agent_id: Id = DEFAULT_AGENT


@router.post("/inbox", status_code=202, operation_id="leaveInInbox")
async def leave(operations: Using, body: Leave, request: HttpRequest) -> Waked:
    """Leave a message. `now` begins a session with it at once; the others wait until the agent looks into its
    inbox. Takes wake credentials, like a wake."""
    by = getattr(request.state, "wake_source", PERSON)
    left = Left(AgentId(body.agent_id), body.text, body.priority, body.source, body.dedup_key)
    return await operations.wakes.leave(by, left)


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
