"""Sessions."""

from typing import Annotated, Any, Literal

import msgspec

from agent_contracts.api.calls import ToolCall
from agent_contracts.api.rewinds import Moment, address_of
from agent_contracts.api.snippets import SnippetPart
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
    """A session that was imported from a file."""

    id: str
    """Id of the session."""
    agent_id: str
    sessions: list[str]
    """Ids of all sessions that the file holds: before the last one, those whose history it begins with."""
    events: int
    """Number of events that were imported."""
    blobs: int
    """Number of blobs that were imported."""
    left_out: list[str]
    """Paths of files that don't exist as of some events because the file lacks their bytes."""
    lost: int
    """Number of blobs that were lost before the export: what a model saw or a tool returned can't be shown
    for some calls."""


class InputReceipt(ResponseBody, frozen=True, kw_only=True):
    """The input is in the log. What it leads to shows in the session's events."""

    event_id: str
    """Id of the event that holds it."""
    sequence: int
    """Number of the record that holds it."""


class AnswerReceipt(InputReceipt, frozen=True, kw_only=True):
    """The answer is in the log."""

    released: int = 0
    """Number of other calls that waited for the same approval, and that the rule of `always` now allows."""


class RelatedSession(ResponseBody, frozen=True, kw_only=True):
    """Another session that is connected to this one."""

    id: str
    """Id of the session."""
    title: str | None
    status: SessionStatus
    """Whether it is at work, waits for a person, or how it ended."""


class Child(RelatedSession, frozen=True, kw_only=True):
    """A sub-session."""

    call_id: str | None
    """Id of the tool call that started it; null: unknown."""
    usage: TokensUsed
    """Tokens and cost of its own model calls."""


class ForkOf(RelatedSession, frozen=True, kw_only=True):
    """A session that was forked from this one."""

    fork_sequence: int
    """Number of the last event of the shared history."""


class Relative(RelatedSession, frozen=True, kw_only=True):
    """A session that shares history with this one because of forks."""

    forked_from_id: str | None
    """Id of the session that it was forked from; null: all others go back to it."""
    fork_sequence: int | None
    """Number of the last event that it shares with the session it was forked from; null: it is not a fork."""


class SessionMatch(ResponseBody, frozen=True, kw_only=True):
    """What a search found in a session."""

    snippet: list[SnippetPart] | None
    """A piece of the newest message that matches, in parts; null: the title matches."""


class Beginner(ResponseBody, frozen=True, kw_only=True):
    """What began a session."""

    what: Literal["schedule", "wake"]
    """A `schedule`, or a `wake` from a service."""
    name: str
    """Id of the schedule, or name of the service's credentials."""


class SessionThinking(ResponseBody, frozen=True, kw_only=True):
    """How hard a model thinks before it answers."""

    effort: Effort | None = None
    """The effort; null: the model's default."""
    budget: int | None = None
    """Tokens that the thinking may take; null: the model's default."""


class SessionSummary(ResponseBody, frozen=True, kw_only=True):
    """A session as lists show it."""

    id: str
    """Id of the session."""
    agent_id: str
    title: str | None
    status: SessionStatus
    """Whether it is at work, waits for a person, or how it ended."""
    model: str | None
    """The model, as `provider/model`, or a chain of several, separated by commas. Null: the agent's."""
    thinking: SessionThinking | None = None
    parent_id: str | None
    depth: int
    token_limit: int
    usage: TokensUsed
    error: SessionFailure | None
    """Why it ended in error; null: it didn't."""
    failed_turn: FailedTurn | None = None
    created_at: Timestamp
    active_at: Timestamp
    """When a person or the agent last said something."""
    updated_at: Timestamp
    last_sequence: int
    forked_from_id: str | None = None
    """Id of the session that it was forked from: its history begins with that one's. Null: it isn't a
    fork."""
    forked_from_sequence: int | None = None
    """Number of the last event of the shared history; null: it isn't a fork."""
    begun_by: Beginner | None = None
    """The schedule or service that began it; null: a person or another session did."""
    pinned: bool = False
    """Whether it stays at the top of the list."""
    found: SessionMatch | None = None
    """What a search found in it; null: nothing was searched for."""


class SessionNow(SessionSummary, frozen=True, kw_only=True):
    """A session with what its agent is doing."""

    queued: list[str] = msgspec.field(default_factory=list)
    """Addresses of messages that no model call has read yet."""
    open_model_call: str | None = None
    """Id of the model call that has not ended yet; null: none."""
    cut_model_call: str | None = None
    """Id of a model call that was stopped and hasn't said yet what had arrived; null: none."""
    newest_model_call: str | None = None
    """Id of the model call that was requested last; null: none was."""
    attention: str | None = None
    """The newest event that may have changed what waits for a person here (`/attention`)."""


class Session(SessionNow, frozen=True, kw_only=True):
    """A session with what is open in it, and the sessions around it."""

    open_calls: list[ToolCall]
    """Tool calls that have not ended yet."""
    children: list[Child]
    """Its sub-sessions."""
    forks: list[ForkOf] = msgspec.field(default_factory=list)
    """Sessions that were forked from it."""
    family: list[Relative] = msgspec.field(default_factory=list)
    """All sessions that share history with it because of forks, itself included, oldest first."""
    parent: RelatedSession | None = None
    """The session that started it as a sub-session; null: none did."""
    origin: RelatedSession | None = None
    """The session that it was forked from; null: it isn't a fork."""
    usage_with_children: TokensUsed | None = None
    """Tokens and cost, its sub-sessions and theirs included."""


class ForkedSession(Session, frozen=True, kw_only=True):
    """A fork, as it began."""

    forked_from: str
    """Id of the session that it was forked from."""
    fork_sequence: int
    """Number of the last event of the shared history: never between a call and its results, so maybe before
    the one that was asked for."""


MAX_TEXT = 1_000_000
"""Characters of one message."""
MAX_TITLE = 300
MAX_RATING_TEXT = 4_000
"""Characters of what someone says about an answer that they rate."""
MAX_FILES = 100
MAX_SPEAKER = 100
"""Characters of what a person calls themselves."""
MAX_TOKENS = 10**12
"""Of a session's limit."""
Title = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_TITLE, pattern=r"\S")]
Text = Annotated[str, msgspec.Meta(extra_json_schema={"maxLength": MAX_TEXT})]
Model = Annotated[
    str,
    msgspec.Meta(
        min_length=1,
        max_length=LONGEST_CHAIN,
    ),
]
_Tokens = Annotated[int, msgspec.Meta(ge=1, le=MAX_TOKENS)]


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
    """How hard the model of a session thinks before it answers."""

    effort: Effort | None = None
    """The effort. Null: the model's default."""
    budget: Annotated[int, msgspec.Meta(ge=LEAST_BUDGET, le=MOST_BUDGET)] | None = None
    """Tokens that the thinking may take. Null: the model's default."""

    def choice(self) -> ThinkingChoice | None:
        """As events have it; None where both are left to the settings."""
        return thinking_choice(self.effort, self.budget)


class CreateSession(RequestBody, frozen=True, kw_only=True):
    """A new session. Everything can be left out."""

    agent_id: Id | None = None
    """Id of its agent. Left out: `default`."""
    message: Text | None = None
    """The first message, not blank. Left out: the session waits for one."""
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_CHAIN)] | None = None
    """The model, as `provider/model`, or a chain of at most five, separated by commas. Left out: the
    agent's."""
    thinking: ThinkingRequest | None = None
    """How hard the model thinks before it answers. Left out: as settings say."""
    token_limit: _Tokens | None = None
    """Tokens that the session may use in all. Left out: the limit of the settings."""
    title: Title | None = None
    """The title. Left out: one is made from the conversation."""
    files: Annotated[list[Id], msgspec.Meta(max_length=MAX_FILES)] = msgspec.field(default_factory=list)
    """Ids of files to send with the message. All sessions of the agent see them."""

    def __post_init__(self) -> None:
        check_ids(self.agent_id, *self.files)
        _check_text(self.message)


class ChosenPrompt(RequestBody, frozen=True, kw_only=True):
    """A prompt of one of the agent's MCP servers."""

    server: Annotated[str, msgspec.Meta(min_length=1, max_length=32)]
    """Name of the server, as the agent has it."""
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    """The prompt's name at the server."""
    arguments: Annotated[
        dict[str, Annotated[str, msgspec.Meta(max_length=20_000)]], msgspec.Meta(max_length=20)
    ] = msgspec.field(default_factory=dict)
    """What to fill in, by the arguments' names."""


class PostMessage(RequestBody, frozen=True, kw_only=True):
    """A message of a person. It has text, files or a prompt."""

    text: Text = ""
    """The text. It may be empty only with files or a prompt."""
    files: Annotated[list[Id], msgspec.Meta(max_length=MAX_FILES)] = msgspec.field(default_factory=list)
    """Ids of files that the session sees. Upload them before by `POST /files` with the session's id."""
    prompt: ChosenPrompt | None = None
    """A prompt of an MCP server, which provides the text: send none."""
    speaker: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_SPEAKER)] | None = None
    """What the person calls themselves for whom a program speaks. Only programs tell it; people see it."""

    def __post_init__(self) -> None:
        check_length(self.text)
        check_ids(*self.files)
        if self.speaker is not None and not (self.speaker.isprintable() and self.speaker.strip()):
            raise MemberFlaw("speaker", "A name must have printable characters in one line")
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
    """Id of the pending call."""
    response: Any
    """The answer, in the form that the tool takes."""

    def __post_init__(self) -> None:
        check_ids(self.call_id)


class Continue(RequestBody, frozen=True, kw_only=True):
    """The new limit of a session that reached its old one."""

    token_limit: _Tokens
    """Tokens that the session may use in all from now on (`usage.tokens`)."""


class RateAnswer(RequestBody, frozen=True, kw_only=True):
    """What a person thinks of an answer."""

    answer: Annotated[
        str,
        msgspec.Meta(max_length=20, pattern=PATTERN),
    ]
    """The `address` of the assistant's message."""
    rating: Rating | None
    """`up` or `down`. Null takes a rating back."""
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_RATING_TEXT, pattern=r"\S")] | None = None
    """Why. Left out: an earlier text is removed too."""

    def __post_init__(self) -> None:
        if self.rating is None and self.text is not None:
            raise ValueError("A text goes with a rating: up or down")


class ChangeSession(RequestBody, frozen=True, kw_only=True):
    """What to change of a session. What is left out stays as it is."""

    title: Title | msgspec.UnsetType = msgspec.UNSET
    """The title from now on."""
    pinned: bool | msgspec.UnsetType = msgspec.UNSET
    """Whether it stays at the top of the list."""
    thinking: ThinkingRequest | msgspec.UnsetType | None = msgspec.UNSET
    """How hard the model thinks from the next model call on. Null: as settings say."""

    def __post_init__(self) -> None:
        if (self.title, self.pinned, self.thinking) == (msgspec.UNSET,) * 3:
            raise ValueError("Name what changes: title, pinned or thinking")


class SentVersion(RequestBody, frozen=True, kw_only=True):
    """A file of the agent at one version."""

    file_id: Id
    """Id of the file."""
    version: Annotated[int, msgspec.Meta(ge=1, le=MAX_SEQUENCE)]
    """The version that is sent."""

    def __post_init__(self) -> None:
        check_ids(self.file_id)


class Fork(RequestBody, frozen=True, kw_only=True):
    """A new session that begins with the messages of this one up to an event."""

    at: Moment
    """The last event of the shared history: its record's number, or its address (`N` or `N.i`)."""
    message: Text | None = None
    """Its first new message, not blank. Left out: it waits for one."""
    model: Model | None = None
    """The model, as `provider/model`, or a chain of several, separated by commas. Left out: as before."""
    title: Title | None = None
    """The title. Left out: one is made."""
    files: Annotated[list[SentVersion], msgspec.Meta(max_length=MAX_FILES)] = msgspec.field(
        default_factory=list
    )
    """Files to send with the message. The new session gets its own copies."""

    def __post_init__(self) -> None:
        address_of(self.at)
        _check_text(self.message)


class Replay(RequestBody, frozen=True, kw_only=True):
    """A replay of a session."""

    mode: Literal["strict", "live"] = "strict"
    """`strict`: compare every decision with what is recorded, without any effect. `live`: make a fork that
    really continues."""
    at: Moment | None = None
    """The last event of the history of a live replay: its record's number, or its address (`N` or `N.i`).
    Left out: the newest."""
    model: Model | None = None
    """The model of a live replay, as `provider/model`. Left out: as before."""
    title: Title | None = None
    """The title of a live replay's fork. Left out: one is made."""

    def __post_init__(self) -> None:
        if self.at is not None:
            address_of(self.at)
