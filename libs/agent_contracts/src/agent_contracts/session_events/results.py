"""Results of effects, exactly one per call (`ses.….result.<call_id>`), and the claims before them."""

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

    `raw_arguments` is kept only where they were not a JSON object. `as_sent` are those that were coerced into
    the types that the tool's schema asks for, as the model sent them (`argument_coercion`). With `error` or
    `result` set the call is over: it never runs. `tool` is its id; `name` is what the model called it by, if
    not by that; `through` is the tool by which it called this one, if by another. `alias_of` is the core tool
    whose work it does.
    `judged`: what the agent's policy says of it; None: it is allowed, and nobody has written a policy.
    `urls`: of the URLs in its arguments those that stand in the user's own words, in a search result or in a
    page that was read; they are looked up where the model had material from outside.
    """

    call_id: CallId
    provider_id: str
    tool: str
    arguments: dict[str, Json] = {}
    runs_on: RunsOn = RunsOn.TOOLS
    effect: Effect = Effect.PURE
    pauses: bool = False
    raw_arguments: str | None = None
    error: ToolError | None = None
    result: Json = None
    through: str | None = None
    judged: PolicyJudgement | None = None
    urls: tuple[str, ...] = ()
    name: str | None = None
    alias_of: str | None = None
    as_sent: dict[str, Json] = {}


class Thought(msgspec.Struct, frozen=True, omit_defaults=True):
    """A piece of a model's thinking that its provider wants back, exactly as it sent it: signed or encrypted.

    A `block` stands among the answer's texts and calls, where it came after `text_at` characters and
    `call_at` tool calls. The fields of a `message` belong to the whole answer, those of a `call` to its tool
    call number `call_at`.
    """

    block: dict[str, Json]
    text_at: int = 0
    call_at: int = 0
    place: Literal["block", "message", "call"] = "block"


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
    """An own tool without which a model server took a request that it had refused with `reason`.

    `version` is for people; `written_at` is the log sequence that wrote it: what an edit changes.
    """

    tool: str
    version: int
    written_at: int
    reason: str


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
    """A model of a chain that was asked with one key and gave no answer, so that the next was asked.

    `server` is its address or its provider's name, `message` what went wrong, in short and without any part
    of a key: `key` says which of how many `keys` it was; 0 of 0: the model has no second one.
    """

    model: str
    server: str
    kind: ModelFailure
    message: str
    key: int = 0
    keys: int = 0


class ModelCallCompleted(Event, frozen=True, tag="foldline.session.model_call_completed.v1"):
    """What the model said, and by reference exactly what it saw.

    An answer that was broken off has a `cut`, what had arrived by then, and no `finish_reason`. Of its
    `usage` the provider's figures are taken as far as they came, and the rest is counted.
    `context_window` is how many tokens the model takes, if that is known. `context` is the SHA-256 of the
    blob that lists the prompt parts and tool definitions (see `model_context`); None: as for the last call
    before it whose answer is in the history. `shown` says which messages of the session's fold at the
    request. `max_tokens`: how long the answer could be, by its limit, or where caps on spending left less.
    `finish_reason` is `stop` for an answer that its calls end, too. `refused_tools` were left out of it after
    a first request with them was refused. `thinking` is for people; `thoughts` go back to the same model; of
    an answer that was broken off they aren't kept. `outside`: where what the agent keeps, and the model was
    shown, came from, as far as the session didn't know. Times in milliseconds; no `first_token_ms` where
    all came at once.
    `summarised`: the sequence of the last message in a summary that had room for only a part of them.
    `counted`: what the request takes by Foldline's own count, where its session knows that this is off.
    `cut_words`: what the model's server said where it broke the answer off. `adapted`: the ways in which the
    request was changed for its server (see `LearnedAdaptation.label`). `small_since`: why the model got the
    preset for small ones, a short prompt and few tools; None: it got the usual one. `read_from`: what the
    model wrote, where its calls were read from that, since its server doesn't parse them. `tried`: the models
    and keys of its chain that were asked before `model`, in order.
    """

    call_id: CallId
    text: str
    usage: Usage
    model: str
    context: str | None = None
    latency_ms: int = 0
    tool_calls: tuple[ResolvedCall, ...] = ()
    finish_reason: str | None = "stop"
    cut: CutReason | None = None
    purpose: Literal["turn", "warning", "summary"] = "turn"
    first_token_ms: int | None = None
    provider_request_id: str | None = None
    attempts: int = 1
    context_window: int | None = None
    shown: ShownMessages | None = None
    refused_tools: tuple[RefusedTool, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    thinking: Thinking | None = None
    outside: Sources = ()
    max_tokens: int | None = None
    summarised: int | None = None
    counted: int | None = None
    cut_words: str | None = None
    adapted: tuple[str, ...] = ()
    small_since: str | None = None
    read_from: str | None = None
    tried: tuple[FailedTry, ...] = ()

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
    """From now on the model is shown only the first `head` and the last `tail` characters of the text of
    message `sequence`, or of the result of its call `call_id` as JSON.

    `blob` holds the whole. `file_id` is the file from which the model can read it; None: there was no room.
    """

    sequence: int
    head: int
    tail: int
    blob: BlobRef
    call_id: CallId | None = None
    file_id: str | None = None


class Overflow(msgspec.Struct, frozen=True, omit_defaults=True):
    """How much longer a request was than its model's window, in tokens, and what was done about it.

    The model's server says what the request `needed` and how large its `window` is; None: it doesn't say.
    """

    counted: int
    """What the request takes by Foldline's own count (`session_domain.domain.rules.tokens`)."""
    left: int
    """What the next request takes by the same count, with the cuts, or as a smaller part of a summary."""
    needed: int | None = None
    window: int | None = None
    cuts: tuple[CutText, ...] = ()
    fits: bool = False
    """Whether the cuts are enough: no message has to be hidden."""


class ModelCallFailed(Event, frozen=True, tag="foldline.session.model_call_failed.v1"):
    """The model gave no answer, after `attempts` attempts. `message` is the provider's, with what to do.

    `retryable`: asking again later may help, but not before `retry_after_s` seconds, if the server said so.
    `server` names, by a hash, the model server that didn't do its part: asking again may help as soon as it
    is seen to answer. None: only time can tell. `setting` names the cap on spending that left too little.
    `overflow`: of a request that is too long. Without an attempt it was not sent, since by its session's
    earlier calls the model can't take it. `tried`: all models and keys of a chain that were asked, in order;
    empty where there was only one. `model`, `kind` and `server` are those of the one of them that is most
    likely to answer again.
    """

    call_id: CallId
    kind: ModelFailure
    message: str
    model: str
    attempts: int = 1
    latency_ms: int = 0
    context: str | None = None
    shown: ShownMessages | None = None
    retryable: bool = False
    retry_after_s: float | None = None
    server: str | None = None
    setting: str | None = None
    overflow: Overflow | None = None
    tried: tuple[FailedTry, ...] = ()


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
    """What the tool itself asked models for."""
    tasks: tuple[TaskStep, ...] = ()
    """What its code began and ended, in order."""
    sent: CallEgress | None = None
    """The requests that left, or were to leave, in the call's name; None: there were none."""
    worked: CallCommands | None = None
    """The commands that ran in the call's name; None: there were none."""
    sampled: tuple[SampledQuestion, ...] = ()
    """What a foreign server had models asked."""


class ToolCallCompleted(Accounting, Event, frozen=True, tag="foldline.session.tool_call_completed.v1"):
    """A tool's result: JSON, or for a large one an excerpt with the blob that holds the whole.

    `pictures` are shown to a model that sees, beside the result. `outside` is where material came from that
    the call read: the result may hold it, and it is nobody's instruction.
    """

    call_id: CallId
    result: Json
    runner: str
    excerpt: Excerpt | None = None
    pictures: tuple[Picture, ...] = ()
    outside: Sources = ()


class ToolCallFailed(Accounting, Event, frozen=True, tag="foldline.session.tool_call_failed.v1"):
    """A tool call that ended in an error the model can act on. `outside` as in `ToolCallCompleted`."""

    call_id: CallId
    error: ToolError
    runner: str
    outside: Sources = ()


class Resume(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a pending call goes on. With its answer, without one when it expires (what nobody allowed ends
    then), or at the time `at` (RFC 3339 in UTC), it is asked for again, with `state`, which is its runner's
    own; it has paused so for the `round`th time. Where who held it has stopped, it ends in an error before.

    `looks`: to run it then does nothing but look how something stands, and may happen twice.
    """

    round: int = 1
    state: Json = None
    at: str | None = None
    looks: bool = False


class ToolCallPending(Accounting, Event, frozen=True, tag="foldline.session.tool_call_pending.v1"):
    """A pausing tool checked its arguments: `show` is what to put before the user.

    `expires_at` is RFC 3339 in UTC; without one the call waits for ever. `resume`: the call is not over with
    its answer. A run that was stopped by what it wanted to send had done something before.
    """

    call_id: CallId
    show: dict[str, Json]
    runner: str
    expires_at: str | None = None
    resume: Resume | None = None


class CallClaimed(Event, frozen=True, tag="foldline.session.call_claimed.v1"):
    """A runner is about to start an external call; no other may (`ses.….claim.<call_id>`)."""

    call_id: CallId
    runner: str


ToolCallEnd = ToolCallCompleted | ToolCallFailed | ToolCallPending
Result = ModelCallCompleted | ModelCallFailed | ToolCallEnd
"""Every event on a `result.` subject."""
