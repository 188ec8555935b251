"""Which call it is that a tool runs in."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import structlog

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.session_events.results import Usage
from agent_tools.running.call import Call
from agent_tools.running.call_writers import CallWriters, writers_of, writers_of_page


class Spent:
    """What a call asked models for; None as long as there was nothing."""

    def __init__(self) -> None:
        self.usage: Usage | None = None

    def add(self, usage: Usage) -> None:
        """Count one answer."""
        self.usage = usage if self.usage is None else self.usage + usage


@dataclass(frozen=True)
class CallContext:
    """Who calls, and in whose name what the call writes is written. Without a `session`, a page calls.

    `sequence` is the request's place in the log: reading as of it is the same on every attempt. `attempt`
    counts from 1. `cancelled` is set when nobody wants the result any more; the tool's task is cancelled as
    well, so only work off the event loop need look at it. `log` has the call's ids bound.
    """

    agent_id: AgentId
    session: SessionId | None
    call_id: CallId
    sequence: int
    attempt: int
    writers: CallWriters
    cancelled: asyncio.Event
    log: Any
    spent: Spent = field(default_factory=Spent)

    @property
    def session_id(self) -> SessionId:
        """The session that calls. `Rejected(kind="not_available")` where a page does."""
        if self.session is None:
            raise Rejected(
                "there is no session here: a page called the function", kind=ErrorKind.NOT_AVAILABLE
            )
        return self.session

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt at this call, and no other call's: for targets that take one."""
        return f"{self.session or self.agent_id}-{self.call_id}"


def context_of(call: Call, attempt: int, cancelled: asyncio.Event) -> CallContext:
    """One attempt at a session's call."""
    key = call.key
    return CallContext(
        agent_id=key.session.agent_id,
        session=key.session.session_id,
        call_id=key.call_id,
        sequence=call.sequence,
        attempt=attempt,
        writers=writers_of(call),
        cancelled=cancelled,
        log=_log(key.session.session_id, key.call_id, call.tool),
    )


def context_of_page(agent_id: AgentId, call_id: CallId, sequence: int, tool: str) -> CallContext:
    """A call that a page or a person makes, after event `sequence`; it is made once."""
    return CallContext(
        agent_id=agent_id,
        session=None,
        call_id=call_id,
        sequence=sequence,
        attempt=1,
        writers=writers_of_page(call_id, sequence),
        cancelled=asyncio.Event(),
        log=_log(None, call_id, tool),
    )


def _log(session: SessionId | None, call_id: CallId, tool: str) -> Any:
    return structlog.get_logger().bind(session_id=session, call_id=call_id, tool=tool)
