"""RFC 9457 problem details: the closed set of kinds, and how failures become them."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from agent_contracts.api.problems import Kind
from agent_contracts.errors import Failure, Rejected, Transient
from agent_platform.secrecy.failure_text import failure_text
from agent_platform.secrecy.known_secrets import KNOWN

MEDIA_TYPE = "application/problem+json"


_STATUS_AND_TITLE: Mapping[Kind, tuple[int, str]] = {
    Kind.UNAUTHORIZED: (401, "Token missing or wrong"),
    Kind.FORBIDDEN_HOST: (403, "Host not allowed"),
    Kind.FORBIDDEN_ORIGIN: (403, "Origin not allowed"),
    Kind.TOO_MANY_ATTEMPTS: (429, "Too many wrong tokens"),
    Kind.NOT_FOUND: (404, "Not found"),
    Kind.ERASED: (410, "Erased"),
    Kind.METHOD_NOT_ALLOWED: (405, "Method not allowed"),
    Kind.INVALID_REQUEST: (422, "Request not valid"),
    Kind.INVALID_ID: (422, "Id not valid"),
    Kind.BAD_TEXT: (422, "Text can't be stored"),
    Kind.REQUEST_TIMEOUT: (408, "The request did not arrive in time"),
    Kind.TOO_LARGE: (413, "Too large"),
    Kind.RANGE_NOT_SATISFIABLE: (416, "Range behind the end"),
    Kind.PRECONDITION_FAILED: (412, "Changed meanwhile"),
    Kind.SESSION_CLOSED: (409, "Session closed"),
    Kind.NOT_ARCHIVED: (409, "Session not archived"),
    Kind.ALREADY_ANSWERED: (409, "Call already answered"),
    Kind.CALL_NOT_OPEN: (409, "Call not open"),
    Kind.CONFLICT: (409, "Taken, or changed meanwhile"),
    Kind.IDEMPOTENCY_MISMATCH: (422, "Idempotency key used for another request"),
    Kind.CODE_FAILED: (422, "The agent's code failed"),
    Kind.APPROVAL_NEEDED: (403, "A person has to allow it first"),
    Kind.MCP_SERVER_FAILED: (424, "An MCP server failed"),
    Kind.OUTCOME_UNKNOWN: (409, "Nobody knows whether it was done"),
    Kind.QUOTA_EXCEEDED: (429, "Quota used up"),
    Kind.BAD_WAKE: (422, "Not a wake"),
    Kind.INBOX_FULL: (409, "Inbox full"),
    Kind.RATE_LIMITED: (429, "Too many requests"),
    Kind.NOT_PERMITTED: (403, "Not permitted to these credentials"),
    Kind.PROJECTION_BEHIND: (503, "Projection behind"),
    Kind.UNAVAILABLE: (503, "Unavailable"),
    Kind.INTERNAL: (500, "Internal error"),
}


class ProblemError(Exception):
    """A request that ends in a problem. `extra` are further members, such as the list of `errors`."""

    def __init__(
        self,
        kind: Kind,
        detail: str,
        *,
        retry_after: float | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail
        self.retry_after = retry_after
        self.extra = dict(extra or {})


def kind_named(name: str) -> Kind | None:
    """The kind of this name; None if it is none."""
    return Kind.__members__.get(name.upper())


def from_failure(failure: Failure) -> ProblemError:
    """The problem that one of the three failures is to the person who asked."""
    named = kind_named(failure.kind)
    if named is not None:
        kind = named
    elif isinstance(failure, Transient):
        kind = Kind.UNAVAILABLE
    elif isinstance(failure, Rejected):
        kind = Kind.INVALID_REQUEST
    else:
        kind = Kind.INTERNAL
    retry_after = failure.retry_after if isinstance(failure, Transient) else None
    path = failure.path if isinstance(failure, Rejected) else None
    extra = {**({"path": path} if path is not None else {}), **(failure.details or {})}
    return ProblemError(kind, failure.message, retry_after=retry_after, extra=extra)


def response(error: ProblemError, headers: Mapping[str, str] | None = None) -> Response:
    """The HTTP answer. ASCII JSON, so that any text in it can be sent."""
    status, title = _STATUS_AND_TITLE[error.kind]
    body: dict[str, Any] = {
        "type": f"urn:foldline:problem:{error.kind}",
        "title": title,
        "status": status,
        "detail": failure_text(error.detail),
        "kind": error.kind.value,
        **error.extra,
    }
    if status == 422:
        where = str(body.setdefault("path", "")).removeprefix("/")
        body.setdefault("errors", [{"where": where, "message": body["detail"]}])
    sent_body = KNOWN.json(body)
    sent = dict(headers or {})
    if error.kind is Kind.UNAUTHORIZED:
        sent["WWW-Authenticate"] = "Bearer"
    if status in (429, 503):
        sent["Retry-After"] = str(max(1, round(error.retry_after or 1)))
    return Response(json.dumps(sent_body).encode(), status_code=status, media_type=MEDIA_TYPE, headers=sent)
