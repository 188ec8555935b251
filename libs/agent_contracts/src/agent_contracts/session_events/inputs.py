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
    """What began a session, where it wasn't a person."""

    what: Literal["schedule", "wake"]
    """A `schedule`, or a `wake` from a service."""
    name: str
    """Id of the schedule, or name of the service's credentials."""
    due_at: str | None = None
    """The time of the schedule for which it was begun; null: a wake began it."""
    late: str | None = None
    """When it was due, in words; null: it began in time."""


class Created(Event, frozen=True, tag="foldline.session.created.v1"):
    """A session was created. Always the first event; its stream is expected to be empty.

    The limits are recorded here, so that `decide` needs no settings.
    """

    agent_id: AgentId
    """Id of its agent."""
    token_limit: int
    title: str | None = None
    """Its title; null: one is made later."""
    model: str | None = None
    """Its model, as `provider/model`, or a chain of several, separated by commas. Null: the agent's."""
    parent_id: SessionId | None = None
    parent_call_id: CallId | None = None
    """Id of the tool call of its parent that started it; null: it isn't a sub-session."""
    depth: int = 0
    child_depth: int = 3
    """How deep sub-sessions may nest."""
    child_count: int = 10
    """How many of its sub-sessions may be open at a time."""
    child_timeout_s: float = 120.0
    """Seconds that each of its sub-sessions may run."""
    run_timeout_s: float | None = None
    """Seconds that it may run; null: no limit."""
    retry_delays_s: tuple[float, ...] = (30.0, 120.0, 600.0, 1800.0)
    """Seconds after which the model is asked again when a turn failed and waiting may help: the first time,
    the second time, and so on."""
    begun_by: BegunBy | None = None
    """What began it; null: a person or another session did."""
    outside: Sources = ()
    """Sources of outside material that the session had which began this one."""
    mode: PromptMode | None = None
    """How much of its agent a sub-session gets; null: everything."""
    browser: WhoseBrowser = "own"
    """Whether a sub-session has a browser of its own, or pages in that of its parent."""
    thinking: ThinkingChoice | None = None


class FromPrompt(msgspec.Struct, frozen=True, omit_defaults=True):
    """A prompt of an MCP server that a person chose."""

    server: str
    """Name of the server, as the agent has it."""
    name: str
    """The prompt's name at the server."""
    arguments: dict[str, str] = {}
    """What was filled in, by the arguments' names."""


class UserMessage(Event, frozen=True, tag="foldline.session.user_message.v1"):
    """A person, or a program for them, said something."""

    text: str
    """The text as Markdown."""
    files: tuple[SentFile, ...] = ()
    """Files that were sent with it."""
    client: str | None = None
    """Name of the program that said it for a person; null: none did."""
    speaker: str | None = None
    """What that person calls themselves, as the program told it; null: it told nothing."""
    prompt: FromPrompt | None = None
    """The MCP prompt that the person chose and whose words these are; null: none."""


class ToolResponse(Event, frozen=True, tag="foldline.session.tool_response.v1"):
    """Someone answered a pending tool call. The first answer in the log counts."""

    call_id: CallId
    response: Json
    """The answer, in the form that the tool takes."""
    client: str | None = None
    """Name of the program that answered for a person; null: none did."""


class ReminderDue(Event, frozen=True, tag="foldline.session.reminder_due.v1"):
    """A reminder that this session set has come due."""

    reminder_id: str
    """Id of the reminder."""
    message: str
    """The message that the agent reads."""
    outside: Sources = ()
    """Sources of outside material that the session had when it set the reminder."""
    quiet: bool = False
    """It begins no turn: people see it, and the model with what begins the next turn."""
    late: str | None = None
    """When it was due, in words; null: it came in time."""

    @property
    def text(self) -> str:
        """What is said in the session: the message and, if it comes late, that it does."""
        return self.message if self.late is None else f"{self.message}\n\n{self.late}"


class TimerDue(Event, frozen=True, tag="foldline.session.timer_due.v1"):
    """A timer that the engine asked for has come due."""

    timer_id: str
    """Id of the timer."""
    purpose: Literal["call_expiry", "call_resumes", "child_start", "child_timeout", "retry", "run_timeout"]
    """What the timer is for."""
    call_id: CallId | None = None
    """Id of the call that it is about; null: none."""


class Woken(Event, frozen=True, tag="foldline.session.woken.v1"):
    """A service woke the session."""

    source: str
    """Name of the service's credentials."""
    message: str
    """The message for the agent."""
    wake_id: str
    """The id that the service gave it."""
    data: Json = None
    """Data of any shape that came with it; null: none."""
    priority: Literal["now", "next"] = "next"
    """`next`: it waits for the next turn. `now`: it joins the running one."""
    wake_type: str | None = None
    """Type of the service's event; null: none."""


class OutcomeSettled(Event, frozen=True, tag="foldline.session.outcome_settled.v1"):
    """A person found out whether a call did its work whose outcome was unknown."""

    call_id: CallId
    happened: bool
    """Whether the call did its work."""
    message: str
    """The message for the model."""


class ChildFinished(Event, frozen=True, tag="foldline.session.child_finished.v1"):
    """A sub-session of this session ended."""

    child_id: SessionId
    """Id of the sub-session."""
    status: Literal["completed", "error", "token_limit_reached"]
    """Whether it `completed`, failed (`error`), or reached its token limit."""
    result: str | None = None
    """Its result; null: it failed."""
    error: str | None = None
    """Why it failed; null: it didn't."""
    tokens: int = 0
    """Tokens that it used in all."""
    at: int = 0
    """Number of the sub-session's own event that ended it. A sub-session that continues after its token limit
    was raised ends again."""
    reported: bool = True
    """Whether it gave `result` by `report_result`. False: it is the last that it said."""
    outside: Sources = ()
    """Sources of outside material that it had by then."""


class Continued(Event, frozen=True, tag="foldline.session.continued.v1"):
    """The user raised the token limit."""

    token_limit: int
    """Tokens that the session may use in all from now on."""


class ThinkingChanged(Event, frozen=True, tag="foldline.session.thinking_changed.v1"):
    """The user chose how hard the model thinks from the next model call on."""

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
    """The title from now on."""


class Pinned(Event, frozen=True, tag="foldline.session.pinned.v1"):
    """The user pinned the session to the top of the list, or unpinned it."""

    pinned: bool = True
    """Whether it stays at the top of the list."""


Rating = Literal["up", "down"]


class Feedback(Event, frozen=True, tag="foldline.session.feedback.v1"):
    """The user rated an answer of this session. The newest rating of an answer counts. People see it; a model
    never does."""

    answer: str
    """Address of the answer."""
    rating: Rating | None = None
    """`up` or `down`; null takes a rating back."""
    text: str | None = None
    """Why, in the user's words; null: they didn't say."""


class RewindRequested(Event, frozen=True, tag="foldline.session.rewind_requested.v1"):
    """A person wants parts of the session back as they were after an event."""

    to: int
    """Number of the event to go back to."""
    parts: tuple[RewindPart, ...]
    """What goes back: the `conversation`, or what this session changed of the `agent`, its `files` and the
    `database`."""
    including: tuple[Selection, ...] = ()
    """Things that go back although others changed them too. Otherwise they stay."""


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
