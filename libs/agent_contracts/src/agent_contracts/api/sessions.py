"""Sessions."""

from typing import Annotated, Any, Literal

import msgspec

from agent_contracts.api.calls import ToolCall
from agent_contracts.api.rewinds import Moment, address_of
from agent_contracts.api.wire import MAX_SEQUENCE, Id, RequestBody, ResponseBody, check_ids
from agent_contracts.errors import Rejected
from agent_contracts.form_inputs import MemberFlaw
from agent_contracts.log.address import PATTERN
from agent_contracts.model_chain import LONGEST_CHAIN
from agent_contracts.session_events.inputs import Rating
from agent_contracts.sessions.session_view import FailedTurn, SessionFailure, SessionStatus, TokensUsed
from agent_contracts.thinking_choice import LEAST_BUDGET, MOST_BUDGET, Effort, ThinkingChoice, thinking_choice
from agent_contracts.timestamp import Timestamp


class ImportedSession(ResponseBody, frozen=True, kw_only=True):
    """An imported session. `sessions` are all that the file holds: before it those whose history it begins
    with, as far as it refers to them. `left_out` are the paths of files whose bytes it lacks, and
    earlier versions of others: as of then, these are not there. `lost` is how many blobs were lost before it
    was exported: what a model saw, or what a tool gave, can't be shown for some calls."""

    id: str
    agent_id: str
    sessions: list[str]
    events: int
    blobs: int
    left_out: list[str]
    lost: int


class InputReceipt(ResponseBody, frozen=True, kw_only=True):
    """The input is in the log, at `sequence`; what comes of it shows in the session's events."""

    event_id: str
    """The id of its event."""
    sequence: int
    """The record that holds it."""


class RelatedSession(ResponseBody, frozen=True, kw_only=True):
    """Another session that has to do with this one."""

    id: str
    title: str | None
    status: SessionStatus


class Child(RelatedSession, frozen=True, kw_only=True):
    """A sub-session, made by tool call `call_id` of this one; `usage` is its own."""

    call_id: str | None
    usage: TokensUsed


class ForkOf(RelatedSession, frozen=True, kw_only=True):
    """A session that was forked from this one; its history goes up to event `fork_sequence` of this one's."""

    fork_sequence: int


class Relative(RelatedSession, frozen=True, kw_only=True):
    """A session that has its history in common with this one, by forks. `forked_from_id` is null for the one
    that all of them go back to; else its own begins after event `fork_sequence` of that session's."""

    forked_from_id: str | None
    fork_sequence: int | None


class SessionMatch(ResponseBody, frozen=True, kw_only=True):
    """What a search found in a session: how many of its messages, and a piece of the newest of these."""

    messages: int
    snippet: str | None


class Beginner(ResponseBody, frozen=True, kw_only=True):
    """What began a session: a schedule, by its id, or a wake, by the name of the credentials behind it."""

    what: Literal["schedule", "wake"]
    name: str


class SessionThinking(ResponseBody, frozen=True, kw_only=True):
    """How hard a model thinks before it answers, and how many tokens that may take; null: as it does by
    default."""

    effort: Effort | None = None
    budget: int | None = None


class SessionSummary(ResponseBody, frozen=True, kw_only=True):
    """A session as the list shows it; `found` where it was searched for. `thinking` is null where it is as
    settings say. `begun_by` is null where a person or another session began it. `active_at`: when a person or
    the agent last said something; `updated_at`: when anything last happened.

    A fork's history begins with that of session `forked_from_id`, up to and including event
    `forked_from_sequence`.
    """

    id: str
    agent_id: str
    title: str | None
    status: SessionStatus
    model: str | None
    thinking: SessionThinking | None = None
    parent_id: str | None
    depth: int
    token_limit: int
    usage: TokensUsed
    error: SessionFailure | None
    failed_turn: FailedTurn | None = None
    created_at: Timestamp
    active_at: Timestamp
    updated_at: Timestamp
    last_sequence: int
    forked_from_id: str | None = None
    forked_from_sequence: int | None = None
    begun_by: Beginner | None = None
    pinned: bool = False
    found: SessionMatch | None = None


class SessionNow(SessionSummary, frozen=True, kw_only=True):
    """A session with what its agent is at, as the stream of events has it: all of it is the session's own.

    `queued`: the addresses of messages that no model call has read yet. `open_model_call` has no ending yet;
    `cut_model_call` was stopped, and hasn't told yet what it had said. `newest_model_call`: the one that was
    requested last, open or not.
    """

    queued: list[str] = msgspec.field(default_factory=list)
    open_model_call: str | None = None
    cut_model_call: str | None = None
    newest_model_call: str | None = None
    attention: str | None = None
    """The newest event that may have changed what waits for a person here (`/attention`)."""


class Session(SessionNow, frozen=True, kw_only=True):
    """A session with what is open in it, and the sessions around it.

    `usage_with_children` adds what its sub-sessions, and theirs, used. `family`: all that forks of
    forks have in common with it, itself included, oldest first. `parent` and `origin` (whose history
    a fork begins with) are null where there is none.
    """

    open_calls: list[ToolCall]
    children: list[Child]
    forks: list[ForkOf] = msgspec.field(default_factory=list)
    family: list[Relative] = msgspec.field(default_factory=list)
    parent: RelatedSession | None = None
    origin: RelatedSession | None = None
    usage_with_children: TokensUsed | None = None


class ForkedSession(Session, frozen=True, kw_only=True):
    """A fork, as it began. `fork_sequence` is the event its history really goes up to: never between a call
    and its results, so at or before the one that was asked for."""

    forked_from: str
    fork_sequence: int


MAX_TEXT = 1_000_000
"""Characters of one message."""
MAX_TITLE = 300
MAX_RATING_TEXT = 4_000
"""Characters of what someone says about an answer that they rate."""
MAX_FILES = 100
MAX_TOKENS = 10**12
"""Of a session's limit."""
Title = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_TITLE, pattern=r"\S")]
Text = Annotated[str, msgspec.Meta(description=f"at most {MAX_TEXT:,} characters, not blank")]
Model = Annotated[
    str,
    msgspec.Meta(
        min_length=1,
        max_length=LONGEST_CHAIN,
        description="a model, as provider/model, or a chain of several, separated by commas",
    ),
]
_Tokens = Annotated[
    int, msgspec.Meta(ge=1, le=MAX_TOKENS, description="tokens of the whole session (`usage.tokens`)")
]


def check_length(text: str) -> None:
    """`Rejected(kind="too_large")` for a text that is too long for a message."""
    if len(text) > MAX_TEXT:
        raise Rejected(f"A message may have at most {MAX_TEXT:,} characters", kind="too_large")


def _check_text(text: str | None) -> None:
    if text is not None:
        check_length(text)
        if not text.strip():
            raise MemberFlaw("message", "A message must have text")


class ThinkingRequest(RequestBody, frozen=True, kw_only=True):
    """How hard the model of a session thinks before it answers, and how many tokens that may take. If only
    one is set, the model's default applies to the other."""

    effort: Effort | None = None
    budget: Annotated[int, msgspec.Meta(ge=LEAST_BUDGET, le=MOST_BUDGET)] | None = None

    def choice(self) -> ThinkingChoice | None:
        """As events have it; None where both are left to the settings."""
        return thinking_choice(self.effort, self.budget)


class CreateSession(RequestBody, frozen=True, kw_only=True):
    """Everything may be left out. `message` is said at once, with `files`: ids of files that all sessions of
    the agent see. `model`: as provider/model, or a chain of at most five, separated by commas; `thinking`: as
    settings say, if it is left out."""

    agent_id: Id | None = None
    message: Text | None = None
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_CHAIN)] | None = None
    thinking: ThinkingRequest | None = None
    token_limit: _Tokens | None = None
    title: Title | None = None
    files: Annotated[list[Id], msgspec.Meta(max_length=MAX_FILES)] = msgspec.field(default_factory=list)

    def __post_init__(self) -> None:
        check_ids(self.agent_id, *self.files)
        _check_text(self.message)


class ChosenPrompt(RequestBody, frozen=True, kw_only=True):
    """A prompt of one of the agent's MCP servers, by its name there, and what is put in."""

    server: Annotated[str, msgspec.Meta(min_length=1, max_length=32)]
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    arguments: Annotated[
        dict[str, Annotated[str, msgspec.Meta(max_length=20_000)]], msgspec.Meta(max_length=20)
    ] = msgspec.field(default_factory=dict)


class PostMessage(RequestBody, frozen=True, kw_only=True):
    """Something a person says, or sends: it has text, files or a prompt. `files` are ids of files that the
    session sees; send them by `POST /files` with its `session_id` before. With a `prompt`, its MCP server
    provides the text, so send none."""

    text: Annotated[str, msgspec.Meta(description=f"at most {MAX_TEXT:,} characters")] = ""
    files: Annotated[list[Id], msgspec.Meta(max_length=MAX_FILES)] = msgspec.field(default_factory=list)
    prompt: ChosenPrompt | None = None

    def __post_init__(self) -> None:
        check_length(self.text)
        check_ids(*self.files)
        if self.prompt is not None:
            if self.text:
                raise ValueError("A message has either text or a prompt, whose server says the words")
        elif not self.text.strip() and not self.files:
            raise ValueError("A message must have text")


class PostToolResponse(RequestBody, frozen=True, kw_only=True):
    """An answer to a pending call.

    To `ask_user`: `{"answer": str}`. To `render_and_wait`: `{"action": str, …}`. To `render_blocks`:
    `{"action": "submit", "data": {…}}` where there is a form, and `{"action": "dismiss"}`; so to a form
    of steps, with the values of all of them. To a call that waits for a yes:
    `{"decision": "once" | "session" | "commands" | "always" | "refuse"}`, with `arguments` to run it with
    others, or with a `reason`."""

    call_id: Id
    response: Any

    def __post_init__(self) -> None:
        check_ids(self.call_id)


class Continue(RequestBody, frozen=True, kw_only=True):
    """The new limit, for a session that reached its old one."""

    token_limit: _Tokens


class RateAnswer(RequestBody, frozen=True, kw_only=True):
    """Which answer, and what a person thinks of it: `up`, `down`, or null to take a rating back. `text` says
    why; without it an earlier text goes too."""

    answer: Annotated[
        str,
        msgspec.Meta(max_length=20, pattern=PATTERN, description="the `address` of the assistant's message"),
    ]
    rating: Rating | None
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_RATING_TEXT, pattern=r"\S")] | None = None

    def __post_init__(self) -> None:
        if self.rating is None and self.text is not None:
            raise ValueError("A text goes with a rating: up or down")


class ChangeSession(RequestBody, frozen=True, kw_only=True):
    """What changes of a session: its title, whether it is above the others in the list (`pinned`), and how
    much its model thinks from its next call on (null: as settings say)."""

    title: Title | msgspec.UnsetType = msgspec.UNSET
    pinned: bool | msgspec.UnsetType = msgspec.UNSET
    thinking: ThinkingRequest | msgspec.UnsetType | None = msgspec.UNSET

    def __post_init__(self) -> None:
        if (self.title, self.pinned, self.thinking) == (msgspec.UNSET,) * 3:
            raise ValueError("Name what changes: title, pinned or thinking")


class SentVersion(RequestBody, frozen=True, kw_only=True):
    """A file of the agent's as it was at a version."""

    file_id: Id
    version: Annotated[int, msgspec.Meta(ge=1, le=MAX_SEQUENCE)]

    def __post_init__(self) -> None:
        check_ids(self.file_id)


class Fork(RequestBody, frozen=True, kw_only=True):
    """Make a new session that begins with the messages up to `at`. `message` is the first new message. The
    new session gets its own copies of `files`."""

    at: Moment
    message: Text | None = None
    model: Model | None = None
    title: Title | None = None
    files: Annotated[list[SentVersion], msgspec.Meta(max_length=MAX_FILES)] = msgspec.field(
        default_factory=list
    )

    def __post_init__(self) -> None:
        address_of(self.at)
        _check_text(self.message)


class Replay(RequestBody, frozen=True, kw_only=True):
    """`strict`: compare every decision, with no effect. `live`: a fork at `at` that really goes on."""

    mode: Literal["strict", "live"] = "strict"
    at: Moment | None = None
    model: Model | None = None
    title: Title | None = None

    def __post_init__(self) -> None:
        if self.at is not None:
            address_of(self.at)
