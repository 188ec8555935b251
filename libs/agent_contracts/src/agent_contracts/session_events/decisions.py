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
    """A model must be asked. `joins` are the sequences of the queued inputs that enter the history here.

    Before older messages are hidden, the model is asked twice for that `purpose`: once with a `warning`, so
    that it can note down what it needs, and once for a `summary` of what will be hidden.
    """

    call_id: CallId
    model: str | None = None
    joins: tuple[int, ...] = ()
    purpose: Literal["turn", "warning", "summary"] = "turn"


class ResumedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call goes on that had paused for the `round`th time, with the `state` that its runner left then, and
    the `answer` that a person gave; it was first asked for by event `since`. `looks` as in `Resume`."""

    since: int
    round: int = 1
    state: Json = None
    answer: Json = None
    looks: bool = False


class ToolCallRequested(Event, frozen=True, tag="foldline.session.tool_call_requested.v1"):
    """A tool must run.

    `grants` are what people allowed of what it may send. Of a call that a person approved: `approved` is the
    hash of what was approved, and `code_at` the log sequence as of which its code runs, which is when it was
    asked for: nothing else runs.
    `outside` is where material came from that the model had before a call that may do more than read: what it
    writes is from there, too. With `outside_as` these are only those that are new, or otherwise, since the
    request in that record of the session, which may refer to another (`outside.with_news`). `unswayed`: there
    was none yet when the model asked for the call. Otherwise `urls` are those in its arguments that the user,
    a search result or a page had named: see `ResolvedCall`. One that was `resumed` has been requested before,
    and runs as of then. `open_tasks` is how many tasks its code may end.
    """

    call_id: CallId
    tool: str
    arguments: dict[str, Json]
    runs_on: RunsOn
    effect: Effect
    grants: tuple[Grant, ...] = ()
    approved: str | None = None
    code_at: int | None = None
    outside: Sources = ()
    unswayed: bool = False
    urls: tuple[str, ...] = ()
    resumed: ResumedCall | None = None
    outside_as: int | None = None
    open_tasks: int = 0


class ToolCallCancelled(Event, frozen=True, tag="foldline.session.tool_call_cancelled.v1"):
    """An open tool call ends without a result, in the words of an error kind; `message` says why."""

    call_id: CallId
    kind: ErrorKind = ErrorKind.CANCELLED
    message: str = ""


class Waiting(Event, frozen=True, tag="foldline.session.waiting.v1"):
    """Only pausing calls are left open: the session waits for their answers."""

    calls: tuple[CallId, ...]


class ReportAsked(Event, frozen=True, tag="foldline.session.report_asked.v1"):
    """A sub-session became idle without a result: this once it is asked for it, in these words."""

    message: str


class BecameIdle(Event, frozen=True, tag="foldline.session.became_idle.v1"):
    """The turn is over. An interrupted one names the model call it cut off, if any."""

    reason: Literal["answered", "interrupted"] = "answered"
    cancelled_model_call: CallId | None = None


class TokenLimitHit(Event, frozen=True, tag="foldline.session.token_limit_hit.v1"):
    """What counts of the session's tokens reached its limit."""

    used: int
    limit: int


class Completed(Event, frozen=True, tag="foldline.session.completed.v1"):
    """The session ended well; terminal. An `unreported` sub-session has its last text as its result."""

    reason: Literal["archived", "reported", "unreported"]
    result: str | None = None


class Failed(Event, frozen=True, tag="foldline.session.failed.v1"):
    """The session ended in error; terminal. `kind`: the broken rule's, or a sub-session's failure's."""

    kind: str
    message: str


class TurnFailed(Event, frozen=True, tag="foldline.session.turn_failed.v1"):
    """The turn is over without an end, the conversation isn't. `kind` is the failure's of the model call that
    gave no answer, or `loop`: the same call was made again and again.

    `retryable`: waiting may help. Then the turn goes on by itself at `retry_at` (RFC 3339 in UTC), or as
    soon as the model server answers again; None: only a person, or whatever is said next, goes on with it.
    `setting`: the cap on spending that ended it.
    """

    kind: str
    message: str
    retryable: bool = False
    retry_at: str | None = None
    setting: str | None = None


class ToolQuarantined(Event, frozen=True, tag="foldline.session.tool_quarantined.v1"):
    """An own tool is no longer offered to `model`, whose server refused a request for it, until it is edited.

    `reason` is the server's words, `message` says what happened, for people; `version` and `written_at` (a
    log sequence) say which edition of the tool.
    """

    tool: str
    version: int
    written_at: int
    model: str
    reason: str
    message: str


class MessagesShadowed(Event, frozen=True, tag="foldline.session.messages_shadowed.v1"):
    """Messages `first` to `last` (sequences) are hidden from the model by a summary, not from people."""

    first: int
    last: int
    summary: str
    reason: Literal["compaction", "task"] = "compaction"


class InputRefused(Event, frozen=True, tag="foldline.session.input_refused.v1"):
    """An input (by sequence) came to a session that takes none any more."""

    input: int
    reason: str


class Waits(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a sub-session waits for before it begins: that others have finished, in whatever way, and a time
    (RFC 3339 in UTC)."""

    after: tuple[SessionId, ...] = ()
    not_before: str | None = None


class ChildSpawned(Event, frozen=True, tag="foldline.session.child_spawned.v1"):
    """A sub-session must be created with this task; one that `waits` is held: another event of this kind says
    when it must be, and what its task is then.

    With `fork_at` its history begins with this session's, up to and including that log sequence. `mode`: how
    much of its agent it is given (None: all); `run_timeout_s`: its running time, if not the usual one;
    `outside`: where material came from in what others found that is in its task. `browser`: whose it uses.
    """

    call_id: CallId
    child_id: SessionId
    task: str
    token_limit: int
    model: str | None = None
    copy_notepad: bool = False
    fork_at: int | None = None
    mode: PromptMode | None = None
    run_timeout_s: float | None = None
    waits: Waits | None = None
    outside: Sources = ()
    browser: WhoseBrowser = "own"


class ForkedFrom(Event, frozen=True, tag="foldline.session.forked_from.v1"):
    """This session's history begins with another's, up to event `at` (a log sequence), by reference."""

    agent_id: AgentId
    session_id: SessionId
    at: int


class ForkMade(Event, frozen=True, tag="foldline.session.fork_made.v1"):
    """Another session was forked from this one after event `at` (a log sequence)."""

    session_id: SessionId
    at: int


class Rewound(Event, frozen=True, tag="foldline.session.rewound.v1"):
    """The session went back to `to` (a log sequence), as the input `requested` wanted.

    With the part `conversation`, the fold ignores every event after `to` up to this one. The other parts
    follow from this event: an engine writes them (see `entities.rewinds`).
    """

    to: int
    requested: int
    parts: tuple[RewindPart, ...] = ("conversation",)
    including: tuple[Selection, ...] = ()

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
