"""Tool calls, as people look at them."""

from typing import Any, Literal

from pydantic import Field

from gateway.queries.sources import OutsideSource
from gateway.queries.view import View

CallStatus = Literal["planned", "requested", "running", "pending", "completed", "failed", "cancelled"]


class CallError(View):
    """Why a call has no result. `path` is a JSON Pointer into its arguments."""

    kind: str
    message: str
    path: str | None = None
    retryable: bool = False


class ToolCall(View):
    """One tool call, with the addresses of the events that asked for it and ended it.

    `duration_ms` is the tool's own time, in milliseconds; `outside` where material in its result came
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
    outside: list[OutsideSource]
    runner: str | None
    attempt: int | None
    duration_ms: int | None
    request_address: str | None
    result_address: str | None
    requested_at: str | None
    finished_at: str | None
    as_sent: dict[str, Any] = Field(default={})
