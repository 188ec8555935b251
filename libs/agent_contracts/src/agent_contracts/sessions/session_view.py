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
    """A usage as rows and answers have it: with the `tokens` that count toward limits and budgets.

    Of several calls it is their sum; `counted` if Foldline counted some of it itself.
    """

    tokens: int

    @classmethod
    def of(cls, usage: Usage) -> "TokensUsed":
        """The same usage."""
        return msgspec.convert(usage, cls, from_attributes=True)


class SessionFailure(msgspec.Struct, frozen=True):
    """Why a session ended in error."""

    kind: str
    message: str


class FailedTurn(msgspec.Struct, frozen=True):
    """Why the last turn of an idle session has no end, as event `failed_at` says.

    `retry_at`: when it goes on by itself, at the latest ; null: it doesn't. `retryable`:
    waiting may help. `setting`: the cap on spending to raise, if one ended it.
    """

    failed_at: int
    kind: str
    message: str
    retryable: bool
    retry_at: Timestamp | None
    setting: str | None = None


class FoldedCall(msgspec.Struct, frozen=True):
    """A tool call as the fold knows it: `requested` by this event; `show` is what a pausing one asks,
    `outside` where material in its result came from. `as_sent` is what the model wrote for those arguments
    that were taken as something else."""

    call_id: CallId
    tool: str
    arguments: dict[str, Json]
    runs_on: RunsOn
    effect: Effect
    status: FoldedCallStatus
    requested: int | None = None
    result: Json = None
    error: ToolError | None = None
    excerpt: Excerpt | None = None
    show: dict[str, Json] | None = None
    expires_at: Timestamp | None = None
    outside: Sources = ()
    as_sent: dict[str, Json] = {}


class FoldedMessage(msgspec.Struct, frozen=True):
    """A message of the conversation, by its event's sequence, with the calls that it asked for.

    `incomplete`: why it isn't a whole answer, if it isn't one. `woken_by`: the service whose wake it is, with
    the `data` that came with it. `client`: the MCP client that said it. `prompt`: the words are those of a
    server's prompt. A `quiet` one doesn't begin a turn. `thinking` is what the model thought before this
    answer: no part of it.
    """

    sequence: int
    role: Literal["user", "assistant"]
    text: str
    tool_calls: tuple[FoldedCall, ...] = ()
    files: tuple[SentFile, ...] = ()
    incomplete: Incomplete | None = None
    thinking: Thinking | None = None
    woken_by: str | None = None
    data: Json = None
    client: str | None = None
    prompt: FromPrompt | None = None
    quiet: bool = False


class FoldedChild(msgspec.Struct, frozen=True):
    """A sub-session as its parent knows it: `status` is `running` until it ended.

    `reported`: `result` is what it gave by `report_result`, not just the last that it said.
    """

    child_id: SessionId
    call_id: CallId
    status: ChildStatus
    result: str | None = None
    error: str | None = None
    tokens: int = 0
    ended_at: int = 0
    reported: bool = True


class ForkOrigin(msgspec.Struct, frozen=True):
    """Where a fork's history begins: another session, up to and including event `at`."""

    session_id: SessionId
    at: int


class SessionView(msgspec.Struct, frozen=True):
    """The session folded by the session engine, up to `last_sequence`. Sequences are the log's.

    `events` counts its events, `model_calls` what it asked of models; `queue` is what it has not read yet.
    `thinking`: how much its model thinks before it answers; null: as settings say.
    `least_token_limit` is the least with which it can ask a model once more, as far as one can tell.
    `earlier` messages came before `messages`, where only the newest were asked for.
    `outside` is where material came from that its context holds: of the web, of files, of other services.
    `rest_at` is the last event up to there at which no call was open: where a fork or a rewind to this
    moment really leads.
    """

    session_id: SessionId
    agent_id: AgentId
    status: SessionStatus
    title: str | None
    model: str | None
    thinking: ThinkingChoice | None
    parent_id: SessionId | None
    depth: int
    token_limit: int
    least_token_limit: int
    usage: TokensUsed
    error: SessionFailure | None
    failed_turn: FailedTurn | None
    open_calls: tuple[FoldedCall, ...]
    queue: tuple[FoldedMessage, ...]
    messages: tuple[FoldedMessage, ...]
    children: tuple[FoldedChild, ...]
    forked_from: ForkOrigin | None
    last_sequence: int
    rest_at: int
    events: int
    model_calls: int
    earlier: int = 0
    outside: Sources = ()
