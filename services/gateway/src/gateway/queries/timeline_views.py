"""The course of a session, as people look at it: what happened, a row each."""

from typing import Any, Literal

from agent_contracts.session_events.inputs import Rating
from gateway.queries.view import View

RowState = Literal["running", "pending", "done", "failed", "cancelled"]
"""Where a call stands. `pending`: it waits for a person."""
Group = Literal["messages", "model", "tools", "changes", "rewind", "attention"]
"""`changes`: calls that changed something of the agent. `attention`: what is open or failed."""


class ChangedThing(View):
    """Something of the agent's that an event wrote or deleted: its kind, name, and the event's address.

    The name of a file, a reminder or a schedule is an id. The database has the kind `database`.
    """

    kind: str
    name: str
    address: str
    deleted: bool


class TimelineRow(View):
    """What happened, in short: an event, or a call with its result.

    It is at `address`, in record `sequence`; a call's ending is at `end`, at `ended_at`. `type` is the short
    name of the (first) event (`user_message`), `text` the beginning of what it says; `answer` the beginning
    of a call's result or error. `tool` and `arguments` (short ones, cut) are a tool call's; `number` (in the
    session), `model` and `asked` (the tools that its answer calls, in order) are a model call's; `asked` of
    `waiting` are the tools that it waits for. `tool_call_pending` is a row of its own where a person was
    asked before the call ran; `decision` is what they said: `once`, `session`, `commands`, `always` or
    `refuse`. `rating`: how `feedback` rates an answer; null: not any more.
    `duration_ms` is what the call took, `attempts` how often it was tried. `changed` is what the call changed
    of the agent. `problem`: why it isn't an event, and is skipped. `hidden_by`: the rewind (its address)
    that took it out of the conversation.
    """

    address: str
    sequence: int
    end: str | None
    type: str
    time: str | None
    ended_at: str | None
    actor: str | None
    call_id: str | None
    tool: str | None
    arguments: dict[str, Any] | None
    number: int | None
    model: str | None
    asked: list[str]
    decision: str | None
    rating: Rating | None
    state: RowState | None
    duration_ms: int | None
    attempts: int | None
    text: str
    answer: str
    changed: list[ChangedThing]
    problem: str | None
    hidden_by: str | None


class Timeline(View):
    """A page, newest first. `before`: pass it back for older ones; null: there are none.

    `count` is how many events the session has, as far as the projections have come.
    """

    rows: list[TimelineRow]
    before: str | None
    count: int


class AgentMark(ChangedThing):
    """A change of the agent while the session was going on; `session_id`: who made it, null for a person."""

    session_id: str | None


class Outline(View):
    """Where one can stop in a session: its events' addresses, and those of `turns` among them, in order.

    Of very long sessions the newest only; `left_out` says how many are before. `changes` are those of the
    agent since the session began, by whomever, the newest first and at most so many.
    """

    events: list[str]
    turns: list[str]
    left_out: int
    changes: list[AgentMark]
