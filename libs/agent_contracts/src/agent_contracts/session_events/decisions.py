"""Decisions: what the engine decided, one event after another (`ses.….ev.<type>`)."""

from typing import Literal

import msgspec

from agent_contracts.errors import ErrorKind
from agent_contracts.event import Event
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.outside import Sources
from agent_contracts.policies import Grant
from agent_contracts.prompt_modes import PromptMode
from agent_contracts.selection import Selection
from agent_contracts.session_events.inputs import RewindPart
from agent_contracts.tool_spec import Effect, RunsOn
from agent_contracts.whose_browser import WhoseBrowser


class TurnStarted(Event, frozen=True, tag="foldline.session.turn_started.v1"):
    """An input woke the session. Every model call of the turn sees this event's time as *now*."""


class ModelCallRequested(Event, frozen=True, tag="foldline.session.model_call_requested.v1"):
    """A model must be asked.

    Before older messages are hidden, the model is asked twice for that purpose: once with a `warning`, so
    that it can note down what it needs, and once for a `summary` of what will be hidden.
    """

    call_id: CallId
    model: str | None = None
    """The model, as `provider/model`, or a chain of several, separated by commas. Null: the agent's."""
    joins: tuple[int, ...] = ()
    """Numbers of the events of queued inputs that enter the history here."""
    purpose: Literal["turn", "warning", "summary"] = "turn"
    """What it is asked for: the next step of the `turn`, to be warned (`warning`), or a `summary`."""


class ResumedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call continues after a pause."""

    since: int
    """Number of the event that first requested it."""
    round: int = 1
    """How often it has paused."""
    state: Json = None
    """What its runner left for itself: any JSON."""
    answer: Json = None
    """The answer that a person gave; null: none."""
    looks: bool = False
    """To run it only looks how something stands, and may happen twice."""


class ToolCallRequested(Event, frozen=True, tag="foldline.session.tool_call_requested.v1"):
    """A tool must run."""

    call_id: CallId
    tool: str
    arguments: dict[str, Json]
    runs_on: RunsOn
    """Name of the pool of workers that runs it."""
    effect: Effect
    """What it may do: `pure` (only reads), `recorded` (changes what the agent has), `external` or
    `external_idempotent` (acts on the outside world)."""
    grants: tuple[Grant, ...] = ()
    """What people allowed it to send."""
    approved: str | None = None
    """Hash of the call that a person approved: nothing else runs. Null: it needed no approval."""
    code_at: int | None = None
    """Number of the event as of which its code runs: when an approved call was asked for. Null: as of this
    event."""
    outside: Sources = ()
    """Sources of outside material that the model had read: what the call writes comes from there too. With
    `outside_as`, only those that are new."""
    unswayed: bool = False
    """The model had read no outside material when it asked for the call."""
    urls: tuple[str, ...] = ()
    """Those URLs in its arguments that the user, a search result or a page that was read had named."""
    resumed: ResumedCall | None = None
    """How the call continues; null: it begins."""
    outside_as: int | None = None
    """Number of the session's earlier request whose sources count too (`outside.with_news`); null: none."""
    open_tasks: int = 0
    """How many tasks its code may end."""


class ToolCallCancelled(Event, frozen=True, tag="foldline.session.tool_call_cancelled.v1"):
    """An open tool call ends without a result."""

    call_id: CallId
    kind: ErrorKind = ErrorKind.CANCELLED
    """Why, for programs."""
    message: str = ""
    """Why, in words; the model reads it."""


class Waiting(Event, frozen=True, tag="foldline.session.waiting.v1"):
    """Only pausing calls are left open: the session waits for their answers."""

    calls: tuple[CallId, ...]
    """Ids of the calls that wait for a person's answer."""


class ReportAsked(Event, frozen=True, tag="foldline.session.report_asked.v1"):
    """A sub-session became idle without a result: it is asked for it once."""

    message: str
    """What it is asked."""


class BecameIdle(Event, frozen=True, tag="foldline.session.became_idle.v1"):
    """The turn is over."""

    reason: Literal["answered", "interrupted"] = "answered"
    """Whether the model answered or the user interrupted it."""
    cancelled_model_call: CallId | None = None
    """Id of the model call that the interruption cut off; null: none."""


class TokenLimitHit(Event, frozen=True, tag="foldline.session.token_limit_hit.v1"):
    """The session's tokens reached its limit."""

    used: int
    """Tokens that the session has used."""
    limit: int
    """Tokens that the session may use in all."""


class Completed(Event, frozen=True, tag="foldline.session.completed.v1"):
    """The session ended well; terminal."""

    reason: Literal["archived", "reported", "unreported"]
    """`archived` by the user, or a sub-session's end: `reported` by `report_result`, or `unreported`, where
    its last text is the result."""
    result: str | None = None
    """Result of a sub-session; null: it isn't one."""


class Failed(Event, frozen=True, tag="foldline.session.failed.v1"):
    """The session ended in error; terminal."""

    kind: str
    """What went wrong, for programs: the broken rule, or the failure of a sub-session."""
    message: str
    """What went wrong, in words."""


class TurnFailed(Event, frozen=True, tag="foldline.session.turn_failed.v1"):
    """The turn is over without an answer; the conversation isn't."""

    kind: str
    """What went wrong, for programs: the failure of the model call, or `loop`: the same call was made again
    and again."""
    message: str
    """What went wrong, in words."""
    retryable: bool = False
    retry_at: str | None = None
    """When the model is asked again, at the latest; null: it isn't automatically."""
    setting: str | None = None
    """The cap on spending that ended the turn; null: none did."""


class ToolQuarantined(Event, frozen=True, tag="foldline.session.tool_quarantined.v1"):
    """A tool of the agent is no longer offered to a model until it is edited."""

    tool: str
    version: int
    """Version of the tool."""
    written_at: int
    """Number of the event that wrote this version of the tool."""
    model: str
    """The model whose server refused a request with the tool."""
    reason: str
    """The server's words."""
    message: str
    """What happened, for people."""


class MessagesShadowed(Event, frozen=True, tag="foldline.session.messages_shadowed.v1"):
    """Messages are hidden from the model by a summary, not from people."""

    first: int
    """Number of the first of their events."""
    last: int
    """Number of the last of their events."""
    summary: str
    """What the model reads instead."""
    reason: Literal["compaction", "task"] = "compaction"
    """`compaction`: the model's window was full. `task`: a task ended."""


class InputRefused(Event, frozen=True, tag="foldline.session.input_refused.v1"):
    """An input came to a session that no longer takes any."""

    input: int
    """Number of the event of the input."""
    reason: str
    """Why it was refused."""


class Waits(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a sub-session waits for before it begins."""

    after: tuple[SessionId, ...] = ()
    """Ids of sub-sessions that must have ended, in whatever way."""
    not_before: str | None = None
    """The earliest time that it begins; null: any."""


class ChildSpawned(Event, frozen=True, tag="foldline.session.child_spawned.v1"):
    """A sub-session must be created. One that `waits` is held: another event of this kind says when it must
    be created, and what its task is then."""

    call_id: CallId
    child_id: SessionId
    """Id of the sub-session."""
    task: str
    """What the sub-session is to do."""
    token_limit: int
    model: str | None = None
    """Its model, as `provider/model`; null: the agent's."""
    copy_notepad: bool = False
    """Whether it gets a copy of the notepad."""
    fork_at: int | None = None
    """Number of this session's event up to which the sub-session's history is the same; null: it begins
    empty."""
    mode: PromptMode | None = None
    """How much of its agent it gets; null: everything."""
    run_timeout_s: float | None = None
    """Seconds that it may run; null: the usual time."""
    waits: Waits | None = None
    """What it waits for before it begins; null: nothing."""
    outside: Sources = ()
    """Sources of outside material in what others found that is in its task."""
    browser: WhoseBrowser = "own"
    """Whether it has a browser of its own, or pages in that of its parent."""


class ForkedFrom(Event, frozen=True, tag="foldline.session.forked_from.v1"):
    """This session's history begins with that of another, by reference."""

    agent_id: AgentId
    session_id: SessionId
    at: int
    """Number of the last event of the shared history."""


class ForkMade(Event, frozen=True, tag="foldline.session.fork_made.v1"):
    """Another session was forked from this one."""

    session_id: SessionId
    at: int
    """Number of the last event of the shared history."""


class Rewound(Event, frozen=True, tag="foldline.session.rewound.v1"):
    """The session went back.

    With the part `conversation`, the fold ignores every event after that one up to this one. The other parts
    follow from this event: an engine writes them (see `entities.rewinds`).
    """

    to: int
    """Number of the event that it went back to."""
    requested: int
    """Number of the event that asked for it."""
    parts: tuple[RewindPart, ...] = ("conversation",)
    """What goes back: the `conversation`, or what this session changed of the `agent`, its `files` and the
    `database`."""
    including: tuple[Selection, ...] = ()
    """Things that go back although others changed them too. Otherwise they stay."""

    @property
    def conversation(self) -> bool:
        """Whether the conversation went back."""
        return "conversation" in self.parts


class Titled(Event, frozen=True, tag="foldline.session.titled.v1"):
    """The session got its title from its first message or from the model."""

    title: str


Decision = (
    TurnStarted
    | ModelCallRequested
    | ToolCallRequested
    | ToolCallCancelled
    | Waiting
    | BecameIdle
    | ReportAsked
    | TokenLimitHit
    | Completed
    | Failed
    | TurnFailed
    | ToolQuarantined
    | MessagesShadowed
    | InputRefused
    | ChildSpawned
    | ForkedFrom
    | ForkMade
    | Rewound
    | Titled
)
"""Every event that only the engine may write."""
