"""A folded session as programs are shown it: by the session engine's answers, and by the API."""

from typing import Literal

import msgspec

from agent_contracts.blob_ref import Excerpt
from agent_contracts.errors import ToolError
from agent_contracts.files import SentFile
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.outside import Sources
from agent_contracts.session_events.inputs import FromPrompt
from agent_contracts.session_events.results import Incomplete, Thinking, Usage
from agent_contracts.thinking_choice import ThinkingChoice
from agent_contracts.timestamp import Timestamp
from agent_contracts.tool_spec import Effect, RunsOn

SessionStatus = Literal["idle", "running", "waiting_for_input", "token_limit_reached", "completed", "error"]
"""Where a session stands. The last two are terminal."""
FoldedCallStatus = Literal["planned", "requested", "pending", "completed", "failed", "cancelled"]
"""Where a tool call stands. The last three are final."""
ChildStatus = Literal["running", "completed", "error", "token_limit_reached"]
"""How a sub-session stands, as its parent knows it."""


class TokensUsed(Usage, frozen=True, kw_only=True, omit_defaults=False):
    """Tokens and cost of model calls. Of several calls it is their sum."""

    tokens: int

    @classmethod
    def of(cls, usage: Usage) -> "TokensUsed":
        """The same usage."""
        return msgspec.convert(usage, cls, from_attributes=True)


class SessionFailure(msgspec.Struct, frozen=True):
    """Why a session ended in error."""

    kind: str
    """What went wrong, for programs."""
    message: str
    """What went wrong, in words."""


class FailedTurn(msgspec.Struct, frozen=True):
    """Why the last turn of an idle session failed."""

    failed_sequence: int
    """Number of the event that says so."""
    kind: str
    """What went wrong, for programs."""
    message: str
    """What went wrong, in words."""
    retryable: bool
    retry_at: Timestamp | None
    """When the model is asked again, at the latest; null: it isn't automatically."""
    setting: str | None = None
    """The cap on spending to raise, if one ended the turn; null: none did."""


class FoldedCall(msgspec.Struct, frozen=True):
    """A tool call of a session."""

    call_id: CallId
    tool: str
    arguments: dict[str, Json]
    runs_on: RunsOn
    """Name of the pool of workers that runs it."""
    effect: Effect
    """What it may do: `pure` (only reads), `recorded` (changes what the agent has), `external` or
    `external_idempotent` (acts on the outside world)."""
    status: FoldedCallStatus
    """How far it is, or how it ended."""
    requested: int | None = None
    """Number of the event that requested it; null: not requested yet."""
    result: Json = None
    """What the tool returned: any JSON. Null until it completed."""
    error: ToolError | None = None
    """Why it has no result; null: it has one, or none yet."""
    excerpt: Excerpt | None = None
    """Both ends of a result that is too large, and where the whole is; null: `result` is whole."""
    show: dict[str, Json] | None = None
    """What a pending call shows to the person; null: it shows nothing."""
    expires_at: Timestamp | None = None
    """When a pending call expires; null: never."""
    outside: Sources = ()
    """Sources of outside material in the result."""
    as_sent: dict[str, Json] = {}
    """What the model wrote for those arguments that were read as something else because the tool's schema
    leaves no doubt, by their names."""


class FoldedMessage(msgspec.Struct, frozen=True):
    """A message of the conversation, with the calls that it asked for."""

    sequence: int
    """Number of its event."""
    role: Literal["user", "assistant"]
    """Who said it: `user` or `assistant`."""
    text: str
    """The text as Markdown."""
    tool_calls: tuple[FoldedCall, ...] = ()
    """Tool calls that the answer asks for, in order."""
    files: tuple[SentFile, ...] = ()
    """Files that were sent with it."""
    incomplete: Incomplete | None = None
    """Why the answer isn't whole; null: it is."""
    thinking: Thinking | None = None
    """What the model thought before it answered; not part of the answer. Null: nothing is known."""
    woken_by: str | None = None
    """Name of the service that sent it; null: no service did."""
    data: Json = None
    """Data that the service sent with it; null: none."""
    client: str | None = None
    """Name of the program that said it for a person; null: none did."""
    prompt: FromPrompt | None = None
    """The MCP prompt that a person chose and whose words these are; null: none."""
    quiet: bool = False
    """It doesn't begin a turn."""


class FoldedChild(msgspec.Struct, frozen=True):
    """A sub-session, as its parent knows it."""

    child_id: SessionId
    """Id of the sub-session."""
    call_id: CallId
    """Id of the tool call that started it."""
    status: ChildStatus
    """`running` until it ended."""
    result: str | None = None
    """Its result; null: none yet, or it failed."""
    error: str | None = None
    """Why it failed; null: it didn't."""
    tokens: int = 0
    ended_sequence: int = 0
    """Number of the sub-session's own event that ended it; 0: it hasn't ended."""
    reported: bool = True
    """Whether it gave `result` by `report_result`. False: it is the last that it said."""


class ForkOrigin(msgspec.Struct, frozen=True):
    """Where a fork's history begins."""

    session_id: SessionId
    """Id of the session that it was forked from."""
    sequence: int
    """Number of the last event of the shared history."""


class SessionView(msgspec.Struct, frozen=True):
    """A session as of one event."""

    session_id: SessionId
    agent_id: AgentId
    status: SessionStatus
    """Whether it is at work, waits for a person, or how it ended."""
    title: str | None
    model: str | None
    """The model, as `provider/model`, or a chain of several, separated by commas. Null: the agent's."""
    thinking: ThinkingChoice | None
    parent_id: SessionId | None
    depth: int
    token_limit: int
    least_token_limit: int
    """The lowest token limit with which it could ask a model once more, as far as one can tell."""
    usage: TokensUsed
    error: SessionFailure | None
    """Why it ended in error; null: it didn't."""
    failed_turn: FailedTurn | None
    open_calls: tuple[FoldedCall, ...]
    """Tool calls that have not ended yet."""
    queue: tuple[FoldedMessage, ...]
    """Messages that no model call has read yet."""
    messages: tuple[FoldedMessage, ...]
    """The conversation, oldest first."""
    children: tuple[FoldedChild, ...]
    """Its sub-sessions."""
    forked_from: ForkOrigin | None
    """Where its history begins; null: it isn't a fork."""
    last_sequence: int
    rest_sequence: int
    """Number of the last event at which no call was open: a fork or rewind to this moment really leads
    there."""
    events: int
    """Number of its events."""
    model_calls: int
    """Number of model calls that it asked for."""
    earlier: int = 0
    """Number of messages before `messages`, where only the newest were asked for."""
    outside: Sources = ()
    """Sources of outside material in its context."""
