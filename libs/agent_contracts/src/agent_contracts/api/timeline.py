"""The timeline of a session, and traces of its turns."""

from typing import Any, Literal

from agent_contracts.api.wire import Page, ResponseBody
from agent_contracts.session_events.inputs import Rating
from agent_contracts.timestamp import Timestamp


class ChangedThing(ResponseBody, frozen=True, kw_only=True):
    """Something of the agent's that an event wrote or deleted: its kind, name, and the event's address.

    The name of a file, a reminder or a schedule is an id. The database has the kind `database`.
    """

    kind: str
    name: str
    address: str
    deleted: bool


RowState = Literal["running", "pending", "done", "failed", "cancelled"]
"""Where a call stands. `pending`: it waits for a person."""


class TimelineRow(ResponseBody, frozen=True, kw_only=True):
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
    started_at: Timestamp | None
    ended_at: Timestamp | None
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


class Timeline(Page[TimelineRow], frozen=True, kw_only=True):
    """A page, newest first. `count` is how many events the session has, as far as the projections have
    come."""

    count: int


class AgentMark(ChangedThing, frozen=True, kw_only=True):
    """A change of the agent while the session was going on; `session_id`: who made it, null for a person."""

    session_id: str | None


class Outline(ResponseBody, frozen=True, kw_only=True):
    """Where one can stop in a session: its events' addresses, and those of `turns` among them, in order.

    Of very long sessions the newest only; `left_out` says how many are before. `changes` are all changes
    of the agent since the session began, whoever made them, newest first; a very long list is cut.
    """

    events: list[str]
    turns: list[str]
    left_out: int
    changes: list[AgentMark]


SpanKind = Literal["input", "turn", "model_call", "tool_call", "session"]


class Span(ResponseBody, frozen=True, kw_only=True):
    """A stretch of time in which something was done, begun by event `id` of a session (its address).

    `parent` is the `id` of the span that led to it; null for the first. `end`: the event that ended it, at
    `ended_at`; null while it goes on. `name` is the input's type, the model, the tool, or the sub-session's
    title, `text` the beginning of what it said or gave. `tokens`: what it used of models by itself.
    """

    id: str
    parent: str | None
    kind: SpanKind
    session_id: str
    call_id: str | None
    name: str
    text: str
    arguments: dict[str, str] | None
    number: int | None
    state: RowState
    began_at: Timestamp | None
    ended_at: Timestamp | None
    end: str | None
    attempts: int | None
    tokens: int | None


class Trace(Page[Span], frozen=True, kw_only=True):
    """One turn with all that it led to, in the order of the log. `before` and `after` are the turns beside it
    (their addresses). `cut`: there are more sub-sessions than a trace follows."""

    session_id: str
    turn: str | None
    before: str | None
    after: str | None
    cut: bool
