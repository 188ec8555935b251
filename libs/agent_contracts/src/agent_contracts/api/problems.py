"""Why a request failed."""

from enum import StrEnum

from agent_contracts.api.wire import ResponseBody


class Kind(StrEnum):
    """What can go wrong, for programs. Closed: a new kind is a change of the interface."""

    UNAUTHORIZED = "unauthorized"
    FORBIDDEN_HOST = "forbidden_host"
    FORBIDDEN_ORIGIN = "forbidden_origin"
    TOO_MANY_ATTEMPTS = "too_many_attempts"
    NOT_FOUND = "not_found"
    ERASED = "erased"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    INVALID_REQUEST = "invalid_request"
    INVALID_ID = "invalid_id"
    BAD_TEXT = "bad_text"
    REQUEST_TIMEOUT = "request_timeout"
    TOO_LARGE = "too_large"
    RANGE_NOT_SATISFIABLE = "range_not_satisfiable"
    PRECONDITION_FAILED = "precondition_failed"
    SESSION_CLOSED = "session_closed"
    NOT_ARCHIVED = "not_archived"
    ALREADY_ANSWERED = "already_answered"
    CALL_NOT_OPEN = "call_not_open"
    CONFLICT = "conflict"
    IDEMPOTENCY_MISMATCH = "idempotency_mismatch"
    CODE_FAILED = "code_failed"
    APPROVAL_NEEDED = "approval_needed"
    MCP_SERVER_FAILED = "mcp_server_failed"
    OUTCOME_UNKNOWN = "outcome_unknown"
    QUOTA_EXCEEDED = "quota_exceeded"
    BAD_WAKE = "bad_wake"
    INBOX_FULL = "inbox_full"
    RATE_LIMITED = "rate_limited"
    NOT_PERMITTED = "not_permitted"
    PROJECTION_BEHIND = "projection_behind"
    STORAGE = "storage"
    UNAVAILABLE = "unavailable"
    INTERNAL = "internal"


class RequestFlaw(ResponseBody, frozen=True, kw_only=True):
    """One thing that is wrong with a request."""

    where: str
    """Its place, such as `body/title` or `query/limit`; empty: unknown."""
    message: str
    """What is wrong, in words."""


class Problem(ResponseBody, frozen=True, kw_only=True):
    """Why a request failed (RFC 9457)."""

    type: str
    """Address of the documentation of this kind of problem."""
    title: str
    """What went wrong in general, in words."""
    status: int
    """The HTTP status."""
    detail: str
    """What went wrong in this case, and what to do next."""
    kind: Kind
    """What went wrong, for programs."""
    path: str | None = None
    """JSON Pointer to what is at fault in the body (of an answer to a call: in its `response`). Empty: the
    whole body, or something else. Only 422 has it."""
    errors: list[RequestFlaw] | None = None
    """All that is wrong with the request. Only 422 has it."""
