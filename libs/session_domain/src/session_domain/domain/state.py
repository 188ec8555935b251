"""What a session's events fold to. Frozen; grows by sharing (persistent vectors and maps)."""

from enum import StrEnum
from typing import Literal

import msgspec
from pyrsistent import PVector, pvector

from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.outside import Sources
from agent_contracts.policies import Grant
from agent_contracts.prompt_modes import PromptMode
from agent_contracts.selection import Selection
from agent_contracts.session_events.decisions import ChildSpawned
from agent_contracts.session_events.inputs import BegunBy, RewindPart
from agent_contracts.session_events.results import Usage
from agent_contracts.thinking_choice import ThinkingChoice
from session_domain.domain.messages import SessionMessage, SessionToolCall, Shadow
from session_domain.domain.window import KnownWindow


class Status(StrEnum):
    """Where a session stands. The last two are terminal."""

    IDLE = "idle"
    RUNNING = "running"
    WAITING_FOR_INPUT = "waiting_for_input"
    TOKEN_LIMIT_REACHED = "token_limit_reached"
    COMPLETED = "completed"
    ERROR = "error"

    @property
    def is_terminal(self) -> bool:
        """Whether nothing can wake the session any more."""
        return self in (Status.COMPLETED, Status.ERROR)


class RequestSources(msgspec.Struct, frozen=True):
    """The sources that a request in record `at` named, itself or by those `before` it that it refers to."""

    outside: Sources
    at: int
    before: int = 0


class OpenModelCall(msgspec.Struct, frozen=True):
    """A model call without an ending yet; `requested` is its request's sequence, `number` counts from 1."""

    call_id: CallId
    requested: int
    number: int
    purpose: Literal["turn", "warning", "summary"] = "turn"


class Task(msgspec.Struct, frozen=True, omit_defaults=True):
    """Work between `begin_task` and `end_task`: what was said after message `began` (a sequence).

    With a `summary`, code ended it, and what is inside is still to be hidden.
    """

    title: str
    began: int
    summary: str | None = None


class Quarantine(msgspec.Struct, frozen=True):
    """An own tool, as written by log sequence `written_at`, that the servers of `model` refuse."""

    tool: str
    version: int
    written_at: int
    model: str
    reason: str


class FatalFailure(msgspec.Struct, frozen=True):
    """Why the session has to end in error."""

    kind: str
    message: str


class TurnFailure(msgspec.Struct, frozen=True):
    """A turn that failed with model call `call_id`, `asked` for at that sequence; when it goes on by itself
    (None: it doesn't). `server` is the model server that may answer again before that, but is not asked
    `not_before` some time; `failed_sequence` the sequence of the event that says so, 0 until it is made;
    `setting` the cap on spending that left too little.
    """

    call_id: CallId
    asked: int
    kind: str
    message: str
    retryable: bool
    retry_at: str | None = None
    server: str | None = None
    not_before: str | None = None
    failed_sequence: int = 0
    setting: str | None = None


class ChildState(msgspec.Struct, frozen=True):
    """A sub-session; `status` is `running` until it ended, `tokens` what it used by then.

    One that is `planned` is held: its session isn't there yet. It `may_begin` by the time that it waits for.

    `ended_sequence` is the sequence of its own event that ended it, 0 while it lives; `reported` says whether
    `result` is what it reported, or the last that it said; `outside` where material came from that it had.
    """

    child_id: SessionId
    call_id: CallId
    status: Literal["running", "completed", "error", "token_limit_reached"] = "running"
    result: str | None = None
    error: str | None = None
    tokens: int = 0
    ended_sequence: int = 0
    reported: bool = True
    outside: Sources = ()
    planned: ChildSpawned | None = None
    may_begin: bool = False

    @property
    def is_live(self) -> bool:
        """Whether it has not ended yet."""
        return self.status == "running"

    @property
    def is_there(self) -> bool:
        """Whether it is a session that has not ended yet."""
        return self.is_live and self.planned is None


class ForkPoint(msgspec.Struct, frozen=True):
    """Where a session's history begins: another session, up to and including log `sequence`."""

    session_id: SessionId
    sequence: int


class WantedRewind(msgspec.Struct, frozen=True):
    """The input `requested` (a log sequence) wants parts of the session as they were after event `to`."""

    to: int
    requested: int
    parts: tuple[RewindPart, ...]
    including: tuple[Selection, ...] = ()

    @property
    def conversation(self) -> bool:
        """Whether the conversation goes back."""
        return "conversation" in self.parts


class SessionLimits(msgspec.Struct, frozen=True):
    """What a session may do, times in seconds (of running time). Recorded when it was created."""

    child_depth: int = 3
    child_count: int = 10
    child_timeout_s: float = 120.0
    run_timeout_s: float | None = None
    retry_delays_s: tuple[float, ...] = ()


KEPT_MESSAGES = 10
"""How many of the newest messages a compaction leaves."""
EMPTY_HISTORY: PVector[SessionMessage] = pvector()


class SessionState(msgspec.Struct, frozen=True):
    """A session folded up to `last_sequence`.

    `position` counts its events, hidden ones included; `rest_sequence` is the last sequence at which no call
    was open: where a fork or a rewind to here really leads. `queue` holds inputs no model call has joined
    yet; `batch` the calls of the last answer while any is open; `answered` that it asked for none,
    `cut_off` that it was stopped at the token limit. `cut_call` is the model call that was stopped before
    it had an ending: what it had streamed by then is still to come.
    `turn_began` is the RFC 3339 time that the model is told as *now*, `told_time` the last one that stands
    beside a message of the history. `refused` are inputs that came
    too late and have no `input_refused` yet. `reported` is the result by which a sub-session ends;
    `owes_report` says that it became idle without one, `report_asked` that it won't be asked for it (again);
    `least_input` is the smallest input of its model calls, in tokens;
    `context_tokens` is what the last model call took of the `window`; `compacting` how far hiding
    older messages has come, `summary` what they will be hidden behind (up to `summarised`, a sequence, where
    it is of a part of them), `kept_messages` how many stay; `refusals` counts the requests of the turn that
    were too long, `full_again` the summaries in a row after which the window seemed as full as before;
    `rewinds` are those that were asked for and not made yet; `expired` pausing calls whose time is over.
    `refused_tools` have to be put into quarantine, `quarantined` are there until they are edited.
    `running_since` is the RFC 3339 time at which the session began to run, if it runs, `ran_ms` for how
    many milliseconds it had run before that. `failed_turn` is the last turn, if it failed; `failures` counts
    the model calls that failed one after another, `retrying` that the failed turn is to go on. `thinks`: an
    answer has thinking that may go back to its model. `grants` are what people allowed besides the policy.
    `outside` is where material came from that the model has been shown, in results, in messages or in what
    the agent keeps; a summary of that doesn't change it.
    """

    session_id: SessionId
    position: int = 0
    last_sequence: int = 0
    rest_sequence: int = 0
    agent_id: AgentId = AgentId("")
    status: Status = Status.IDLE
    title: str | None = None
    model: str | None = None
    thinking: ThinkingChoice | None = None
    parent_id: SessionId | None = None
    parent_call_id: CallId | None = None
    depth: int = 0
    begun_by: BegunBy | None = None
    mode: PromptMode | None = None
    token_limit: int = 0
    limits: SessionLimits = SessionLimits()
    totals: Usage = Usage(0, 0)
    turn_began: str | None = None
    told_time: str | None = None
    queue: tuple[SessionMessage, ...] = ()
    history: PVector[SessionMessage] = EMPTY_HISTORY
    batch: tuple[SessionToolCall, ...] = ()
    answered: bool = False
    cut_off: bool = False
    model_call: OpenModelCall | None = None
    cut_call: OpenModelCall | None = None
    model_calls: int = 0
    shadows: tuple[Shadow, ...] = ()
    tasks: tuple[Task, ...] = ()
    context_tokens: int = 0
    least_input: int = 0
    window: KnownWindow = KnownWindow()
    refusals: int = 0
    full_again: int = 0
    compacting: Literal["warned", "summarised", "too_long"] | None = None
    kept_messages: int = KEPT_MESSAGES
    summary: str | None = None
    summarised: int | None = None
    children: tuple[ChildState, ...] = ()
    forked_from: ForkPoint | None = None
    reported: str | None = None
    owes_report: bool = False
    report_asked: bool = False
    rewinds: tuple[WantedRewind, ...] = ()
    expired: tuple[CallId, ...] = ()
    running_since: str | None = None
    ran_ms: int = 0
    failure: FatalFailure | None = None
    refused_tools: tuple[Quarantine, ...] = ()
    quarantined: tuple[Quarantine, ...] = ()
    failed_turn: TurnFailure | None = None
    failures: int = 0
    retrying: bool = False
    interrupting: bool = False
    archiving: bool = False
    thinks: bool = False
    grants: tuple[Grant, ...] = ()
    outside: Sources = ()
    told: RequestSources | None = None
    telling: RequestSources | None = None
    refused: tuple[int, ...] = ()

    def call(self, call_id: CallId) -> SessionToolCall | None:
        """A call of the last answer, by id."""
        return next((call for call in self.batch if call.call_id == call_id), None)

    def open_calls(self) -> list[SessionToolCall]:
        """The calls of the last answer that have no ending yet, in order."""
        return [call for call in self.batch if not call.status.is_final]

    @property
    def is_addressed(self) -> bool:
        """Whether something waits in the queue that begins a turn."""
        return any(not message.quiet for message in self.queue)

    @property
    def last_text(self) -> str:
        """The last that the model said in words; empty if it said nothing yet."""
        said = (message.text for message in reversed(self.history) if message.role == "assistant")
        return next((text for text in said if text.strip()), "")

    def child(self, child_id: str) -> ChildState | None:
        """A sub-session of this session, by id."""
        return next((child for child in self.children if child.child_id == child_id), None)

    @property
    def is_stopping(self) -> bool:
        """Whether what works for it now works in vain: it will be idle, or back where it was."""
        return self.interrupting or any(one.conversation for one in self.rewinds)

    @property
    def key(self) -> SessionKey:
        """Where in the log its events lie."""
        return SessionKey(self.agent_id, self.session_id)

    @property
    def is_at_rest(self) -> bool:
        """Whether no model call and no tool call is open: a point to fork at or to go back to."""
        return self.position > 0 and self.model_call is None and not self.open_calls()

    def messages(self) -> list[SessionMessage]:
        """The history with the calls of the last answer where they stand now."""
        messages = list(self.history)
        if self.batch:
            messages[-1] = msgspec.structs.replace(messages[-1], tool_calls=self.batch)
        return messages
