"""Inputs: facts from outside a session, appended by whoever observed them (`ses.….in.<kind>`)."""

from typing import Literal

import msgspec

from agent_contracts.event import Event
from agent_contracts.files import SentFile
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.outside import Sources
from agent_contracts.prompt_modes import PromptMode
from agent_contracts.selection import Selection
from agent_contracts.thinking_choice import ThinkingChoice
from agent_contracts.whose_browser import WhoseBrowser

RewindPart = Literal["conversation", "agent", "database", "files"]
"""What of a session can go back, each by itself."""


class BegunBy(msgspec.Struct, frozen=True, omit_defaults=True):
    """What began a session, where it wasn't a person: a schedule, by its id, for one of its times (`due_at`,
    RFC 3339 in UTC), or a wake, by the name of the credentials of the service that sent it. `late` says in
    words when it was due, if it began late."""

    what: Literal["schedule", "wake"]
    name: str
    due_at: str | None = None
    late: str | None = None


class Created(Event, frozen=True, tag="foldline.session.created.v1"):
    """A session came into being. Always the first event; its stream is expected to be empty.

    The limits are recorded here, so that `decide` needs no settings: how deep sub-sessions may nest, how
    many of one parent may live at a time, and how many seconds of running time this session has (None: any).
    `retry_delays_s`: how many seconds after a turn failed the model is asked again, the first time, the
    second time, and so on, where waiting may help. `begun_by`: None for a person, or another session.
    `mode`: how much of its agent a sub-session is given; None: all. `thinking`: how much the model is to
    think; None: as settings say.
    `outside`: where material came from that the session had which began this one. `browser`: a sub-session
    has its own, or pages in its parent's.
    """

    agent_id: AgentId
    token_limit: int
    title: str | None = None
    model: str | None = None
    parent_id: SessionId | None = None
    parent_call_id: CallId | None = None
    depth: int = 0
    child_depth: int = 3
    child_count: int = 10
    child_timeout_s: float = 120.0
    run_timeout_s: float | None = None
    retry_delays_s: tuple[float, ...] = (30.0, 120.0, 600.0, 1800.0)
    begun_by: BegunBy | None = None
    outside: Sources = ()
    mode: PromptMode | None = None
    browser: WhoseBrowser = "own"
    thinking: ThinkingChoice | None = None


class FromPrompt(msgspec.Struct, frozen=True, omit_defaults=True):
    """A prompt of a foreign server (MCP) that a person chose: the `server` as the agent knows it, the `name`
    of the prompt there, and what was put in."""

    server: str
    name: str
    arguments: dict[str, str] = {}


class UserMessage(Event, frozen=True, tag="foldline.session.user_message.v1"):
    """A person (or a program in their name) said something, and sent `files` with it. `client`: an MCP client
    said it, by the name of its token. `prompt`: they chose it, and what it says are its server's words."""

    text: str
    files: tuple[SentFile, ...] = ()
    client: str | None = None
    prompt: FromPrompt | None = None


class ToolResponse(Event, frozen=True, tag="foldline.session.tool_response.v1"):
    """Someone answered a pausing tool call. The first answer in the log counts. `client` as in
    `UserMessage`."""

    call_id: CallId
    response: Json
    client: str | None = None


class ReminderDue(Event, frozen=True, tag="foldline.session.reminder_due.v1"):
    """A reminder that this session set has come due. `outside`: where material came from that it had then. A
    `quiet` one begins no turn: people see it, and the model with what begins the next turn. `late` says in
    words when it was due, if it comes late."""

    reminder_id: str
    message: str
    outside: Sources = ()
    quiet: bool = False
    late: str | None = None

    @property
    def text(self) -> str:
        """What is said in the session: the message and, if it comes late, that it does."""
        return self.message if self.late is None else f"{self.message}\n\n{self.late}"


class TimerDue(Event, frozen=True, tag="foldline.session.timer_due.v1"):
    """A timer the engine asked for has come due; `purpose` says what it was for, `call_id` which call."""

    timer_id: str
    purpose: Literal["call_expiry", "call_resumes", "child_start", "child_timeout", "retry", "run_timeout"]
    call_id: CallId | None = None


class Woken(Event, frozen=True, tag="foldline.session.woken.v1"):
    """Another service woke the session with a message and optional data: `source` by its credentials, under
    the id `wake_id` of its own, as an event of its type `wake_type`. `next` waits for the next turn, `now`
    joins the one that runs."""

    source: str
    message: str
    wake_id: str
    data: Json = None
    priority: Literal["now", "next"] = "next"
    wake_type: str | None = None


class OutcomeSettled(Event, frozen=True, tag="foldline.session.outcome_settled.v1"):
    """A person found out whether a call did its work whose outcome was unknown; `message` tells the model."""

    call_id: CallId
    happened: bool
    message: str


class ChildFinished(Event, frozen=True, tag="foldline.session.child_finished.v1"):
    """A sub-session of this session ended; `tokens` is what it used in all.

    `at` is the sequence of the child's own event that ended it: a child that went on after its token limit
    was raised ends again, later. `reported`: `result` is what it gave by `report_result`; otherwise it is
    the last that it said. `outside`: where material came from that it had by then.
    """

    child_id: SessionId
    status: Literal["completed", "error", "token_limit_reached"]
    result: str | None = None
    error: str | None = None
    tokens: int = 0
    at: int = 0
    reported: bool = True
    outside: Sources = ()


class Continued(Event, frozen=True, tag="foldline.session.continued.v1"):
    """The user raised the token limit: for all that counts of the whole session."""

    token_limit: int


class ThinkingChanged(Event, frozen=True, tag="foldline.session.thinking_changed.v1"):
    """The user chose how much the model thinks from the next model call on; None: as settings say."""

    thinking: ThinkingChoice | None = None


class Interrupted(Event, frozen=True, tag="foldline.session.interrupted.v1"):
    """The user pressed Stop."""


class Archived(Event, frozen=True, tag="foldline.session.archived.v1"):
    """The user closed the session. Only `Reopened` opens it again."""


class Reopened(Event, frozen=True, tag="foldline.session.reopened.v1"):
    """The user opened an archived session again: it is idle, and takes input."""


class Renamed(Event, frozen=True, tag="foldline.session.renamed.v1"):
    """The user gave the session another title."""

    title: str


class Pinned(Event, frozen=True, tag="foldline.session.pinned.v1"):
    """The user put the session above the others in the list, or, with `pinned` false, back among them."""

    pinned: bool = True


Rating = Literal["up", "down"]


class Feedback(Event, frozen=True, tag="foldline.session.feedback.v1"):
    """The user rated an answer of this session, by its address, and may have said why in `text`. The newest
    rating of an answer counts; None takes it back. People see it; a model never does."""

    answer: str
    rating: Rating | None = None
    text: str | None = None


class RewindRequested(Event, frozen=True, tag="foldline.session.rewind_requested.v1"):
    """A person wants the named parts back as they were after event `to` (a log sequence).

    The parts `agent`, `files` and `database` take back what this session changed. What others changed too
    stays, unless `including` selects it.
    """

    to: int
    parts: tuple[RewindPart, ...]
    including: tuple[Selection, ...] = ()


class RetryAsked(Event, frozen=True, tag="foldline.session.retry_asked.v1"):
    """The user asked that the model be asked again where the last turn failed."""


Input = (
    Created
    | UserMessage
    | ToolResponse
    | ReminderDue
    | TimerDue
    | Woken
    | OutcomeSettled
    | ChildFinished
    | Continued
    | ThinkingChanged
    | Interrupted
    | Archived
    | Reopened
    | Renamed
    | Pinned
    | Feedback
    | RewindRequested
    | RetryAsked
)
"""Every input event."""
