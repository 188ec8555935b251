"""Results of effects, exactly one per call, and the claims before them."""

from enum import StrEnum
from typing import Literal

import msgspec

from agent_contracts.blob_ref import BlobRef, Excerpt
from agent_contracts.commands import CallCommands
from agent_contracts.egress import CallEgress
from agent_contracts.errors import ToolError
from agent_contracts.event import Event
from agent_contracts.ids import CallId
from agent_contracts.json_value import Json
from agent_contracts.model_context import ShownMessages
from agent_contracts.outside import Sources
from agent_contracts.pictures import Picture
from agent_contracts.policies import PolicyJudgement
from agent_contracts.sampled_questions import SampledQuestion
from agent_contracts.tool_spec import Effect, RunsOn


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tokens and cost of a model call."""

    input: int
    """Tokens that the model read."""
    output: int
    """Tokens that the model wrote."""
    cached_input: int = 0
    """Those of `input` that the provider had in its cache."""
    cache_written: int = 0
    """Those of `input` that the provider stored for later calls."""
    counted: bool = False
    """Whether Foldline counted some of it itself because the provider didn't say."""
    cost_micros: int | None = None

    @property
    def tokens(self) -> int:
        """What counts toward token limits and budgets, and what people read as "tokens".

        Only this property and `output_within` say so (`tests/deploy/test_one_rule_for_tokens.py`). Rows and
        answers have it as `TokensUsed.tokens`.
        """
        return self.input + self.output

    def output_within(self, tokens: int) -> int:
        """How much more output there may be until all of it counts as so many tokens."""
        return tokens - self.tokens

    @property
    def in_window(self) -> int:
        """What the conversation then takes in its model's window, whatever counts toward limits."""
        return self.input + self.output

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cached_input + other.cached_input,
            self.cache_written + other.cache_written,
            self.counted or other.counted,
            both(self.cost_micros, other.cost_micros),
        )


def both(cost: int | None, more: int | None) -> int | None:
    """Two costs in one. One that isn't known adds nothing: the sum is what is known of it."""
    return more if cost is None else cost + (more or 0)


class ResolvedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tool call that the model asked for, resolved against the tools it was offered.

    With an error or a result it is over: it never runs.
    """

    call_id: CallId
    provider_id: str
    """The id that the model's provider gave the call."""
    tool: str
    arguments: dict[str, Json] = {}
    """The arguments that it runs with, if they could be read."""
    runs_on: RunsOn = RunsOn.TOOLS
    """Name of the pool of workers that runs it."""
    effect: Effect = Effect.PURE
    """What it may do: `pure` (only reads), `recorded` (changes what the agent has), `external` or
    `external_idempotent` (acts on the outside world)."""
    pauses: bool = False
    """Whether it waits for a person's answer."""
    raw_arguments: str | None = None
    """What the model wrote where it can't be read as arguments; null: it can."""
    error: ToolError | None = None
    """Why it can't run; null: it can."""
    result: Json = None
    """Its result, where the engine answers it without a worker; null: a worker does."""
    through: str | None = None
    """The tool through which the model called this one; null: it called it directly."""
    judged: PolicyJudgement | None = None
    """What the agent's policy says of it. Null: it is allowed, and nobody has written a policy."""
    urls: tuple[str, ...] = ()
    """Those URLs in its arguments that the user, a search result or a page that was read had named. Only
    filled where the model had outside material."""
    name: str | None = None
    """The name by which the model called it, if it is another than `tool`; null: the same."""
    alias_of: str | None = None
    """Name of the core tool that does its work; null: it does its own."""
    as_sent: dict[str, Json] = {}
    """What the model wrote for those arguments that were read as something else because the tool's schema
    leaves no doubt, by their names."""


class Thought(msgspec.Struct, frozen=True, omit_defaults=True):
    """A piece of a model's thinking that its provider wants back exactly as it was sent: signed or
    encrypted."""

    block: dict[str, Json]
    """The piece, as the provider sent it."""
    text_at: int = 0
    """The place in the answer: after this number of characters."""
    call_at: int = 0
    """The place in the answer: after this number of tool calls. For `call`: the index of the call."""
    place: Literal["block", "message", "call"] = "block"
    """Whether it stands between texts and calls (`block`), or its fields belong to the whole answer
    (`message`) or to one call (`call`)."""


class Thinking(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a model thought before it answered. It is never part of the answer."""

    text: str
    """The thinking; of a long one, the beginning and the end."""
    sent_as: str | None = None
    """The field of the server's message in which it came. Null: marks in the answer's text told it apart, or
    it is the text of signed blocks."""
    whole: BlobRef | None = None
    """Where the whole of a long one is stored; null: `text` is whole."""


class RefusedTool(msgspec.Struct, frozen=True):
    """A tool of the agent without which a model server took a request that it had refused."""

    tool: str
    version: int
    """Version of the tool."""
    written_at: int
    """Number of the event that wrote this version of the tool."""
    reason: str
    """The server's words."""


CutReason = Literal["stopped", "token_limit", "cancelled", "failed", "repetition"]
"""Why an answer was broken off: by a person's Stop, at the token limit, since its session ended, because the
model's server failed in the middle of it, or since it repeated itself for ever."""
Incomplete = Literal[
    "stopped", "token_limit", "cancelled", "failed", "repetition", "length", "content_filter", "empty"
]
"""Why an answer isn't a whole one: broken off (see `CutReason`), ended by the provider at the model's
greatest length or by its content filter, or without any text and call."""
_ENDED_EARLY: dict[str | None, Incomplete] = {"length": "length", "content_filter": "content_filter"}


class ModelFailure(StrEnum):
    """Why a model call gave no answer."""

    AUTHENTICATION = "authentication"
    UNREACHABLE = "unreachable"
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    CUT_STREAM = "cut_stream"
    MALFORMED_ANSWER = "malformed_answer"
    EMPTY_ANSWER = "empty_answer"
    CONTEXT_LENGTH = "context_length"
    BAD_REQUEST = "bad_request"
    UNKNOWN_MODEL = "unknown_model"
    TIMEOUT = "timeout"
    DELIVERIES_EXHAUSTED = "deliveries_exhausted"
    QUOTA_EXCEEDED = "quota_exceeded"
    BUDGET = "budget"
    INTERNAL = "internal"


class FailedTry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model of a chain that was asked with one key and gave no answer."""

    model: str
    server: str
    """The model server: its address, or its provider's name."""
    kind: ModelFailure
    """What went wrong, for programs."""
    message: str
    """What went wrong, in short and without any part of a key."""
    key: int = 0
    """Which of the model's keys was used, from 1; 0: it has only one."""
    keys: int = 0
    """How many keys the model has; 0: it has only one."""


class ModelCallCompleted(Event, frozen=True, tag="foldline.session.model_call_completed.v1"):
    """What the model said, and by reference exactly what it saw."""

    call_id: CallId
    text: str
    """The answer as Markdown."""
    usage: Usage
    """Tokens and cost. What the provider didn't report, because the answer was broken off, is counted."""
    model: str
    context: str | None = None
    """SHA-256 of the blob that lists the prompt parts and tool definitions (see `model_context`). Null: as
    for the last call before it whose answer is in the history."""
    latency_ms: int = 0
    """How long it took, in milliseconds."""
    tool_calls: tuple[ResolvedCall, ...] = ()
    """Tool calls that the answer asks for, in order."""
    finish_reason: str | None = "stop"
    """Why the answer ended, as the provider says. `stop`: also an answer that its calls end. Null: it was
    broken off."""
    cut: CutReason | None = None
    """Why the answer was broken off; null: it wasn't."""
    purpose: Literal["turn", "warning", "summary"] = "turn"
    """What the model was asked for."""
    first_token_ms: int | None = None
    """Milliseconds until the first piece of the answer; null: all came at once."""
    provider_request_id: str | None = None
    """The provider's id of the request; null: it gave none."""
    attempts: int = 1
    """How often the model was asked."""
    context_window: int | None = None
    """Number of tokens that the model takes; null: unknown."""
    shown: ShownMessages | None = None
    """The messages of the session that the model saw, as of the request."""
    refused_tools: tuple[RefusedTool, ...] = ()
    """Tools that were left out because a first request with them was refused."""
    thoughts: tuple[Thought, ...] = ()
    """Pieces of the thinking that go back to the same model. Not stored for an answer that was broken off."""
    thinking: Thinking | None = None
    """What the model thought, for people; null: nothing is known."""
    outside: Sources = ()
    """Sources of outside material in what the agent stores and the model was shown, as far as the session
    didn't know them."""
    max_tokens: int | None = None
    """How long the answer could be, in tokens, by its limit or by what caps on spending left; null:
    unknown."""
    summarised: int | None = None
    """Number of the last message's event in a summary that had room for only a part of them; null: it had
    room for all."""
    counted: int | None = None
    """Tokens of the request by Foldline's own count, where that is known to be wrong for the session; null:
    it isn't."""
    cut_words: str | None = None
    """What the model's server said when it broke the answer off; null: nothing."""
    adapted: tuple[str, ...] = ()
    """The ways in which the request was changed for its server (see `LearnedAdaptation.label`)."""
    small_since: str | None = None
    """Why the model got the preset for small models, a short prompt and few tools; null: it got the usual
    one."""
    read_from: str | None = None
    """What the model wrote, where its calls were read from that because its server doesn't parse them; null:
    it does."""
    tried: tuple[FailedTry, ...] = ()
    """Models and keys of the chain that were asked before `model` and gave no answer, in order."""

    @property
    def says_something(self) -> bool:
        """Whether there is any text, or a call."""
        return bool(self.text.strip() or self.tool_calls)

    @property
    def incomplete(self) -> Incomplete | None:
        """Why this isn't a whole answer; None for one that is."""
        if self.cut is not None:
            return self.cut
        return _ENDED_EARLY.get(self.finish_reason, None if self.says_something else "empty")


class CutText(msgspec.Struct, frozen=True, omit_defaults=True):
    """From now on the model is shown only both ends of a long text: of a message, or of a call's result as
    JSON."""

    sequence: int
    """Number of the message's event."""
    head: int
    """Number of characters that are shown from the beginning."""
    tail: int
    """Number of characters that are shown from the end."""
    blob: BlobRef
    """Where the whole is stored."""
    call_id: CallId | None = None
    """Id of the call whose result is cut; null: the message is."""
    file_id: str | None = None
    """Id of the file from which the model can read the whole; null: there was no room for one more file."""


class Overflow(msgspec.Struct, frozen=True, omit_defaults=True):
    """How much longer a request was than its model's window, in tokens, and what was done about it."""

    counted: int
    """What the request takes by Foldline's own count (`session_domain.domain.rules.tokens`)."""
    left: int
    """What the next request takes by the same count, with the cuts, or as a smaller part of a summary."""
    needed: int | None = None
    """What the request needs, as the model's server says; null: it doesn't."""
    window: int | None = None
    """The size of the window, as the model's server says; null: it doesn't."""
    cuts: tuple[CutText, ...] = ()
    """Long texts that are cut in the next request."""
    fits: bool = False
    """Whether the cuts are enough: no message has to be hidden."""


class ModelCallFailed(Event, frozen=True, tag="foldline.session.model_call_failed.v1"):
    """The model gave no answer. `model`, `kind` and `server` are those of the one of a chain that is most
    likely to answer again."""

    call_id: CallId
    kind: ModelFailure
    """What went wrong, for programs."""
    message: str
    """What the provider said, with what to do."""
    model: str
    attempts: int = 1
    """How often it was asked. 0: the request was not sent, because by earlier calls the model can't take
    it."""
    latency_ms: int = 0
    """How long it took, in milliseconds."""
    context: str | None = None
    """SHA-256 of the blob that lists the prompt parts and tool definitions (see `model_context`); null: as
    before."""
    shown: ShownMessages | None = None
    """The messages of the session that the request had; null: unknown."""
    retryable: bool = False
    retry_after_s: float | None = None
    """Seconds to wait before asking again, as the server said; null: it didn't."""
    server: str | None = None
    """Names, by a hash, the model server that didn't do its part: asking again may help as soon as it
    answers. Null: only time can tell."""
    setting: str | None = None
    """The cap on spending that left too little; null: none did."""
    overflow: Overflow | None = None
    """By how much the request was too long; null: it wasn't."""
    tried: tuple[FailedTry, ...] = ()
    """All models and keys of the chain that were asked, in order; empty: there was only one."""


class TaskStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """Code began a task or ended the innermost one."""

    begins: str | None = None
    """Title of the task that began; null: none did."""
    ends: str | None = None
    """Summary of the task that ended; null: none did."""


class Accounting(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one run of a tool took and did, besides its result. Each ending and pause of a call has all of it.

    A field that is added here is in the event, in the row `tool_calls.accounting` and in the API's
    `ToolCall.accounting`; `CallContext.accounting` (`agent_tools/context.py`) collects it.
    """

    duration_ms: int = 0
    attempt: int = 1
    """The number of this run: 1 for the first."""
    usage: Usage | None = None
    """Tokens and cost of the tool's questions to models; null: it asked none."""
    tasks: tuple[TaskStep, ...] = ()
    """The tasks that its code began and ended, in order."""
    sent: CallEgress | None = None
    """The requests that left, or were to leave, for the call; null: none."""
    worked: CallCommands | None = None
    """The commands that ran for the call; null: none."""
    sampled: tuple[SampledQuestion, ...] = ()
    """What an MCP server had models asked."""


class ToolCallCompleted(Accounting, Event, frozen=True, tag="foldline.session.tool_call_completed.v1"):
    """A tool's result."""

    call_id: CallId
    result: Json
    """What the tool returned: any JSON."""
    runner: str
    excerpt: Excerpt | None = None
    """Both ends of a result that is too large, and where the whole is; null: `result` is whole."""
    pictures: tuple[Picture, ...] = ()
    """Pictures that are shown to a model that sees, beside the result."""
    outside: Sources = ()
    """Sources of outside material that the call read: the result may hold it, and it is nobody's
    instruction."""


class ToolCallFailed(Accounting, Event, frozen=True, tag="foldline.session.tool_call_failed.v1"):
    """A tool call ended in an error that the model can act on."""

    call_id: CallId
    error: ToolError
    """What went wrong."""
    runner: str
    outside: Sources = ()
    """Sources of outside material that the call read: the error may hold it."""


class Resume(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a pending call continues: it is requested again with its answer, when it expires, or at a time."""

    round: int = 1
    """How often it has paused."""
    state: Json = None
    """What its runner left for itself: any JSON."""
    at: str | None = None
    """When it is requested again without an answer; null: it waits for one."""
    looks: bool = False
    """To run it then only looks how something stands, and may happen twice."""


class ToolCallPending(Accounting, Event, frozen=True, tag="foldline.session.tool_call_pending.v1"):
    """A pausing tool checked its arguments and waits for a person."""

    call_id: CallId
    show: dict[str, Json]
    """What to show to the person."""
    runner: str
    expires_at: str | None = None
    """When the call expires; null: never."""
    resume: Resume | None = None
    """How the call continues with its answer; null: the answer ends it."""


class CallClaimed(Event, frozen=True, tag="foldline.session.call_claimed.v1"):
    """A runner is about to start an external call; no other may."""

    call_id: CallId
    runner: str


ToolCallEnd = ToolCallCompleted | ToolCallFailed | ToolCallPending
Result = ModelCallCompleted | ModelCallFailed | ToolCallEnd
"""Every event on a `result.` subject."""
