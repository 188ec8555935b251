"""Tool calls, model calls, and the calls that apps make."""

from typing import Annotated, Any, Literal

import msgspec

from agent_contracts.api.sources import ProvenanceSource
from agent_contracts.api.wire import RequestBody, ResponseBody
from agent_contracts.ids import CallId, SessionId
from agent_contracts.policies import Verdict
from agent_contracts.session_events.results import Accounting
from agent_contracts.sessions.session_view import TokensUsed
from agent_contracts.timestamp import Timestamp


class ModelCall(ResponseBody, frozen=True, kw_only=True):
    """Exactly what the model saw and said, as the session engine rebuilds it from the log."""

    session_id: SessionId
    call_id: CallId
    number: int
    """The place of this call among the session's model calls, from 1."""
    requested_sequence: int
    """Number of the event that requested it."""
    requested_at: Timestamp
    """When it was requested."""
    result_sequence: int | None
    """Number of the event that ended it; null: it runs."""
    finished_at: Timestamp | None
    """When it ended; null: it hasn't."""
    request: dict[str, Any] | None
    """The request as it was sent: model, messages, tools. Null: the call runs, or sent nothing."""
    parts: list[dict[str, Any]]
    """The parts of the request, in order. Each has a `kind` (`system`, `message`, `summary`, `added`). Parts
    of the system prompt have a `name` and `text`. Others have the `count` of their messages, and the
    `sequence` of their event or the sequences that they hide (`hides`)."""
    answer: dict[str, Any] | None
    """The answer, as its event has it; null: none."""
    error: dict[str, Any] | None
    """Why the call failed, as its event has it; null: it didn't."""


class AppCallResult(ResponseBody, frozen=True, kw_only=True):
    """The result of a call that an app made."""

    result: Any
    """The tool's result, in the same form as that of a call in the chat."""


class AppStopped(ResponseBody, frozen=True, kw_only=True):
    """All hosts were told to end what the app of this call has in hand."""

    call_id: CallId
    """Id of the tool call that brought the app."""


class CallError(ResponseBody, frozen=True, kw_only=True):
    """Why a call has no result."""

    kind: str
    """What went wrong, for programs, such as `timeout`, `refused` or `invalid_arguments`."""
    message: str
    """What went wrong, in words; the model reads it."""
    path: str | None = None
    """JSON Pointer to the argument that is at fault; null: none is."""
    retryable: bool = False
    """Whether the same call may succeed later."""


class CallOfApp(ResponseBody, frozen=True, kw_only=True):
    """A call of a tool that an app of an MCP server made."""

    call_id: str
    """Id of the tool call that brought the app."""
    requested_at: Timestamp
    """When the app made the call."""
    finished_at: Timestamp | None
    """When it ended. Null: it runs, or the worker that ran it stopped."""
    tool: str
    """The tool that the app called, by the server's name for it."""
    arguments: str
    """The beginning of the arguments as JSON."""
    result: str | None
    """The beginning of the result as JSON; null: none yet, or it failed."""
    error: CallError | None
    """Why it has no result; null: it has one, or none yet."""
    verdict: Verdict
    """What the policy said."""
    rule: str
    """The rule of the policy that decided, in words."""
    approved: bool
    """Whether the person in front of the app approved it. Needed where the verdict is `ask`."""
    address: str
    """Address of its last event."""


class CallAccounting(Accounting, frozen=True, kw_only=True, omit_defaults=False):
    """How long the newest run of a call took, and what it did."""

    usage: TokensUsed | None = None
    """Tokens and cost of all runs of the call together; null: it asked no model."""

    @classmethod
    def of(cls, ended: Accounting) -> "CallAccounting":
        """The same, as rows and answers have it."""
        return msgspec.convert(ended, cls, from_attributes=True)


CallStatus = Literal["planned", "requested", "running", "pending", "completed", "failed", "cancelled"]


class ToolCall(ResponseBody, frozen=True, kw_only=True):
    """One tool call."""

    call_id: str
    """The call's id, unique within its session."""
    model_call_id: str | None
    """Id of the model call whose answer asked for it; null: no model did."""
    tool: str
    """The tool's name."""
    arguments: dict[str, Any]
    """The arguments that it runs with."""
    status: CallStatus
    """`planned` (the model asked for it), `requested`, `running`, `pending` (waits for a person), or how it
    ended."""
    effect: str | None
    """What it may do: `pure` (only reads), `recorded` (changes what the agent has), `external` or
    `external_idempotent` (acts on the outside world). Null: not requested yet."""
    runs_on: str | None
    """Name of the pool of workers that runs it; null: not requested yet."""
    result: Any
    """What the tool returned: any JSON. Null until it completed."""
    error: CallError | None
    """Why it has no result; null: it has one, or none yet."""
    show: dict[str, Any] | None
    """What a pending call shows to the person; null: it shows nothing."""
    excerpt: dict[str, Any] | None
    """Both ends of a result that is too large, and where the whole is; null: `result` is whole."""
    outside: list[ProvenanceSource]
    """Sources of outside material in the result."""
    runner: str | None
    """Name of the worker that ran it; null: none has yet."""
    accounting: CallAccounting | None
    """How long it took, what it used and did; null: it hasn't run."""
    request_address: str | None
    """Address of the event that requested it; null: not requested yet."""
    result_address: str | None
    """Address of the event that ended it; null: it hasn't ended."""
    requested_at: Timestamp | None
    """When it was requested; null: not requested yet."""
    finished_at: Timestamp | None
    """When it ended; null: it hasn't."""
    as_sent: dict[str, Any] = msgspec.field(default_factory=dict)
    """What the model wrote for those arguments that were read as something else because the tool's schema
    leaves no doubt, by their names."""


class ReadForApp(RequestBody, frozen=True, kw_only=True):
    """A resource that an app reads from its server."""

    uri: Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]
    """The resource's address at the server."""
    approved: bool = False
    """The person in front of the app approved exactly this, as the problem `approval_needed` asked."""


class CallForApp(RequestBody, frozen=True, kw_only=True):
    """A call that an app makes of a tool of its server."""

    tool: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    """The tool, by the server's own name."""
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    """The arguments, as the tool's schema names them."""
    approved: bool = False
    """The person in front of the app approved exactly this, as the problem `approval_needed` asked."""
