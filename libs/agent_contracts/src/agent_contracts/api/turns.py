"""A turn: what came of one message."""

from typing import Literal

from agent_contracts.api.sessions import InputReceipt
from agent_contracts.api.waiting import Approval, OpenQuestion
from agent_contracts.sessions.session_view import SessionFailure, TokensUsed
from agent_contracts.timestamp import Timestamp

TurnStatus = Literal[
    "queued",
    "running",
    "waiting_for_input",
    "token_limit_reached",
    "completed",
    "stopped",
    "failed",
    "refused",
    "rewound",
]
"""`queued`: no model call has read the message yet; `waiting_for_input`: for a person; `stopped`: by one;
`refused`: nobody read it, as the session couldn't take it; `rewound`: the session went back to before it."""
GOES_ON: frozenset[TurnStatus] = frozenset(("queued", "running"))
"""Statuses that change without anybody."""


class Turn(InputReceipt, frozen=True, kw_only=True):
    """What came of one message, until the session was idle again.

    A message that came while the agent worked joins the turn that was under way: both turns then have the
    same end, and the later one tells what was said and used since its message.
    """

    id: str
    """Address of its message. Read the turn at `GET /sessions/{session_id}/turns/{id}`."""
    session_id: str
    status: TurnStatus
    """How far it is, or how it ended."""
    answer: str
    """The agent's last answer in it; empty: none yet."""
    approvals: list[Approval]
    """Calls that wait for approval: answer at `POST /approvals/{id}`."""
    questions: list[OpenQuestion]
    """What else waits for a person: answer at `POST /questions/{id}`."""
    error: SessionFailure | None
    """Why it failed or was refused; null: it wasn't."""
    usage: TokensUsed
    """Tokens and cost of its model calls and tools."""
    started_at: Timestamp
    """When its message was written."""
    ended_at: Timestamp | None
    """When it ended; null: it hasn't."""
