"""The timeline of a session, and traces of its turns."""

from typing import Any, Literal

from agent_contracts.api.wire import Page, ResponseBody
from agent_contracts.session_events.inputs import Rating
from agent_contracts.timestamp import Timestamp


class ChangedThing(ResponseBody, frozen=True, kw_only=True):
    """Something of the agent that an event wrote or deleted."""

    kind: str
    """Kind of the thing, such as `skill` or `database`."""
    name: str
    """Its name, unique within its kind. Files, reminders and schedules have ids."""
    address: str
    """Address of the event."""
    deleted: bool


RowState = Literal["running", "pending", "done", "failed", "cancelled"]
"""Where a call stands. `pending`: it waits for a person."""


class TimelineRow(ResponseBody, frozen=True, kw_only=True):
    """What happened, in short: an event, or a call with its result."""

    address: str
    """Address of the event; of a call, the event that requested it."""
    sequence: int
    """Number of the record that holds it."""
    end: str | None
    """Address of the event that ended the call; null: not a call, or not ended."""
    type: str
    """The short name of the event's type, such as `user_message`."""
    started_at: Timestamp | None
    """When the event was written, or the call requested; null: unknown."""
    ended_at: Timestamp | None
    """When the call ended; null: not a call, or not ended."""
    actor: str | None
    """Who wrote the event, such as `user` or `engine`; null: unknown."""
    call_id: str | None
    """Id of the call; null: not a call."""
    tool: str | None
    """Name of the tool; null: not a tool call."""
    arguments: dict[str, Any] | None
    """The short arguments of the tool call, cut; null: not a tool call."""
    number: int | None
    """The place of the model call in the session, from 1; null: not a model call."""
    model: str | None
    """The model that was asked; null: not a model call."""
    asked: list[str]
    """Names of the tools that the answer calls, in order; of `waiting`: the tools that it waits for."""
    decision: str | None
    """What a person said to an approval: `once`, `session`, `commands`, `always` or `refuse`. Null: not an
    approval."""
    rating: Rating | None
    """How `feedback` rates an answer; null: not rated, or taken back."""
    state: RowState | None
    """The state of the call; null: not a call."""
    duration_ms: int | None
    """How long the call took, in milliseconds; null: unknown."""
    attempts: int | None
    """How often the call was tried; null: unknown."""
    text: str
    """The beginning of what the event says."""
    answer: str
    """The beginning of the call's result or error."""
    changed: list[ChangedThing]
    """What the call changed of the agent."""
    problem: str | None
    """Why it isn't an event and is skipped; null: it is one."""
    hidden_by: str | None
    """Address of the rewind that took it out of the conversation; null: it is in it."""


class Timeline(Page[TimelineRow], frozen=True, kw_only=True):
    """A page of what happened in a session, newest first."""

    count: int
    """Number of events of the session that the list knows."""


class AgentMark(ChangedThing, frozen=True, kw_only=True):
    """A change of the agent while the session was going on."""

    session_id: str | None
    """Id of the session that made the change; null: a person did."""


class Outline(ResponseBody, frozen=True, kw_only=True):
    """The places in a session to look back to.

    Of very long sessions the newest only.
    """

    events: list[str]
    """Addresses of the session's events, in order."""
    turns: list[str]
    """Addresses among them at which a turn begins."""
    left_out: int
    """Number of earlier events that are left out."""
    changes: list[AgentMark]
    """Changes of the agent since the session began, by anyone, newest first. A very long list is cut."""


SpanKind = Literal["input", "turn", "model_call", "tool_call", "session"]


class Span(ResponseBody, frozen=True, kw_only=True):
    """A stretch of time in which something was done."""

    id: str
    """Address of the event that began it."""
    parent: str | None
    """The `id` of the span that led to it; null: the first."""
    kind: SpanKind
    """What was done: the `input` that began it, a `turn`, a model or tool call, or a sub-session."""
    session_id: str
    call_id: str | None
    """Id of the call; null: not a call."""
    name: str
    """The type of the input, the model, the tool, or the title of the sub-session."""
    text: str
    """The beginning of what it said or returned."""
    arguments: dict[str, str] | None
    """The short arguments of the tool call, cut; null: not a tool call."""
    number: int | None
    """The place of the model call in the session, from 1; null: not a model call."""
    state: RowState
    """How far it is, or how it ended."""
    started_at: Timestamp | None
    """When it began; null: unknown."""
    ended_at: Timestamp | None
    """When it ended; null: it hasn't."""
    end: str | None
    """Address of the event that ended it; null: not ended."""
    attempts: int | None
    """How often it was tried; null: unknown."""
    tokens: int | None
    """Tokens that it used itself; null: unknown."""


class Trace(Page[Span], frozen=True, kw_only=True):
    """One turn with everything that it led to, in the order of the log."""

    session_id: str
    turn: str | None
    """Address of the turn; null: the session has none."""
    before: str | None
    """Address of the turn before; null: none."""
    after: str | None
    """Address of the turn after; null: none."""
    cut: bool
    """Whether there are more sub-sessions than a trace follows."""
