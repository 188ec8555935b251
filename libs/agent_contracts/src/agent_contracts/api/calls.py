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
    """The place of this call among the session's model calls; the first is 1."""
    requested_sequence: int
    requested_at: Timestamp
    result_sequence: int | None
    """Null while the call runs."""
    finished_at: Timestamp | None
    request: dict[str, Any] | None
    """As it was sent: model, messages, tools; null where the call runs, or sent nothing."""
    parts: list[dict[str, Any]]
    """The parts of the request, in order. Each has a `kind` (`system`, `message`, `summary`, `added`). Parts
    of the system prompt have a `name` and `text`; others have the `count` of their messages, and the
    `sequence` of their event or the sequences that they hide (`hides`)."""
    answer: dict[str, Any] | None
    """As its event has it; null for a call without one."""
    error: dict[str, Any] | None
    """As its event has it, where the call failed."""


class AppCallResult(ResponseBody, frozen=True, kw_only=True):
    """The tool's result, in the form that a call in the chat has."""

    result: Any


class AppStopped(ResponseBody, frozen=True, kw_only=True):
    """All hosts were told: what the app of this call had in hand ends now."""

    call_id: CallId


class CallError(ResponseBody, frozen=True, kw_only=True):
    """Why a call has no result. `path` is a JSON Pointer into its arguments."""

    kind: str
    message: str
    path: str | None = None
    retryable: bool = False


class CallOfApp(ResponseBody, frozen=True, kw_only=True):
    """An app of a foreign server called `tool`. `verdict` is what the policy said, by which `rule`; where
    that was to ask, it ran only if the person before the app `approved` it.

    `arguments` and `result` are the beginning of their JSON. Without a `finished_at` it is in hand, or the
    host that ran it stopped. `address`: of its last event.
    """

    call_id: str
    requested_at: Timestamp
    finished_at: Timestamp | None
    tool: str
    arguments: str
    result: str | None
    error: CallError | None
    verdict: Verdict
    rule: str
    approved: bool
    address: str


class CallAccounting(Accounting, frozen=True, kw_only=True, omit_defaults=False):
    """What the newest run of a call took and did. `usage` adds up all its runs."""

    usage: TokensUsed | None = None

    @classmethod
    def of(cls, ended: Accounting) -> "CallAccounting":
        """The same, as rows and answers have it."""
        return msgspec.convert(ended, cls, from_attributes=True)


CallStatus = Literal["planned", "requested", "running", "pending", "completed", "failed", "cancelled"]


class ToolCall(ResponseBody, frozen=True, kw_only=True):
    """One tool call, with the addresses of the events that asked for it and ended it.

    `accounting` is what it took and did, once a runner said so; `outside` where material in its result came
    from that nobody of the session wrote. `as_sent` is what the model wrote for those arguments that were
    taken as something else, since the tool's schema leaves no doubt.
    """

    call_id: str
    model_call_id: str | None
    tool: str
    arguments: dict[str, Any]
    status: CallStatus
    effect: str | None
    runs_on: str | None
    result: Any
    error: CallError | None
    show: dict[str, Any] | None
    excerpt: dict[str, Any] | None
    outside: list[ProvenanceSource]
    runner: str | None
    accounting: CallAccounting | None
    request_address: str | None
    result_address: str | None
    requested_at: Timestamp | None
    finished_at: Timestamp | None
    as_sent: dict[str, Any] = msgspec.field(default_factory=dict)


class ReadForApp(RequestBody, frozen=True, kw_only=True):
    """The resource by its address at the server. `approved` as in `CallForApp`."""

    uri: Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]
    approved: bool = False


class CallForApp(RequestBody, frozen=True, kw_only=True):
    """The tool by the server's own name, and what to call it with. `approved`: the person before the app said
    yes to exactly this, as the problem `approval_needed` asked for."""

    tool: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    approved: bool = False
