"""What the API answers, as types: the OpenAPI document, and so the UI's client, is made from these."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

SessionStatus = Literal["idle", "running", "waiting_for_input", "token_limit_reached", "completed", "error"]
CallStatus = Literal["planned", "requested", "running", "pending", "completed", "failed", "cancelled"]


class View(BaseModel):
    """Read-only data."""

    model_config = ConfigDict(frozen=True)


class Usage(View):
    """Tokens, as the provider reported them."""

    input: int
    output: int
    cached_input: int = 0


class CallError(View):
    """Why a call has no result. `path` is a JSON Pointer into its arguments."""

    kind: str
    message: str
    path: str | None = None
    retryable: bool = False


class ToolCall(View):
    """One tool call. Sequences are the log's; `duration_ms` is the tool's own time, in milliseconds."""

    call_id: str
    model_call_id: str | None
    tool: str
    arguments: dict[str, Any]
    status: CallStatus
    effect: str | None
    runs_on: str | None
    result: Any
    error: CallError | None
    show: dict[str, Any] | None
    excerpt: dict[str, Any] | None
    runner: str | None
    attempt: int | None
    duration_ms: int | None
    requested_sequence: int | None
    result_sequence: int | None
    requested_at: str | None
    finished_at: str | None


class Shadowed(View):
    """Messages `first` to `last` (sequences), which the model doesn't see any more."""

    first: int
    last: int


class Message(View):
    """One message of the chat; `sequence` is its event's. `refused`: why the session didn't take it.

    `session_id` is the session that it was said in: a fork begins with messages of another. `hidden_by`: the
    rollback (a sequence) that took it out of the conversation. A `summary` stands before the model in place
    of the messages that it `shadows`.
    """

    session_id: str
    sequence: int
    role: Literal["user", "assistant", "error", "summary"]
    text: str
    time: str
    model_call_id: str | None
    model: str | None
    usage: Usage | None
    files: list[str]
    tool_calls: list[ToolCall]
    refused: str | None = None
    error_kind: str | None = None
    hidden_by: int | None = None
    shadows: Shadowed | None = None


class Messages(View):
    """A page, oldest first. `before`: pass it back for the page before this one; null: there is none.

    `sequence`: the page shows everything up to there, so live events after it continue without a gap.
    `session` is the session at that same moment; it comes with the newest page only.
    """

    messages: list[Message]
    before: int | None
    sequence: int
    session: "Session | None" = None


class Related(View):
    """Another session that has to do with this one."""

    id: str
    title: str | None
    status: SessionStatus


class Child(Related):
    """A sub-session, made by tool call `call_id` of this one; `usage` is its own."""

    call_id: str | None
    usage: Usage


class ForkOf(Related):
    """A session that was forked from this one; its history goes up to event `at` of this one's."""

    at: int


class SessionError(View):
    """Why a session ended in error."""

    kind: str
    message: str


class SessionSummary(View):
    """A session as the list shows it.

    A fork's history begins with that of session `forked_from_id`, up to and including event `forked_from_at`.
    """

    id: str
    agent_id: str
    title: str | None
    status: SessionStatus
    model: str | None
    parent_id: str | None
    depth: int
    token_limit: int
    usage: Usage
    error: SessionError | None
    created_at: str
    updated_at: str
    last_sequence: int
    forked_from_id: str | None = None
    forked_from_at: int | None = None


class Session(SessionSummary):
    """A session with what is open in it, and the sessions around it.

    `usage_with_children` adds what its sub-sessions, and theirs, used. `parent` and `origin` (whose history
    a fork begins with) are null where there is none.
    """

    open_calls: list[ToolCall]
    children: list[Child]
    forks: list[ForkOf] = []
    parent: Related | None = None
    origin: Related | None = None
    usage_with_children: Usage | None = None


class Sessions(View):
    """A page, newest first. `next_cursor`: pass it back as `cursor`; null: there is no further page."""

    sessions: list[SessionSummary]
    next_cursor: str | None


class Event(View):
    """An event of the log. `body` is the event's own data; docs/asyncapi.yaml describes each type's."""

    sequence: int
    session_id: str | None
    agent_id: str | None
    type: str
    time: str
    actor: str
    causation: int | None
    event_id: str
    body: dict[str, Any]


class Events(View):
    """A page, oldest first. `next_after`: pass it back as `after` for the next page; null: there is none."""

    events: list[Event]
    next_after: int | None


class Delta(View):
    """A piece of a model's answer as it streams: best effort, superseded by the recorded message.

    A greater `attempt` means that the call started over: drop what came with a smaller one.
    """

    session_id: str
    call_id: str
    attempt: int
    index: int
    text: str = ""
    tool: str | None = None


class Accepted(View):
    """The input is in the log, at `sequence`; what comes of it shows in the session's events."""

    event_id: str
    sequence: int


class ModelCall(View):
    """Exactly what the model saw and said, as the session engine rebuilds it from the log."""

    model_config = ConfigDict(frozen=True, extra="allow")


class Health(View):
    """Whether this gateway can work: `checks` names what it needs, and `ok` or what is wrong."""

    status: Literal["ok", "failing"]
    checks: dict[str, str] = Field(default_factory=dict)
