"""Tool calls, as people look at them."""

from typing import Any, Literal

from gateway.queries.view import View

CallStatus = Literal["planned", "requested", "running", "pending", "completed", "failed", "cancelled"]


class CallError(View):
    """Why a call has no result. `path` is a JSON Pointer into its arguments."""

    kind: str
    message: str
    path: str | None = None
    retryable: bool = False


class ToolCall(View):
    """One tool call. Sequences are the log's; `duration_ms` is the tool's own time, in milliseconds."""

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
    runner: str | None
    attempt: int | None
    duration_ms: int | None
    requested_sequence: int | None
    result_sequence: int | None
    requested_at: str | None
    finished_at: str | None
