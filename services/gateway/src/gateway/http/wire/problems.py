"""RFC 9457 problem details: the closed set of kinds, and how failures become them."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from starlette.responses import Response

from agent_contracts.api.problems import Kind
from agent_contracts.errors import Failure, Rejected, Transient
from agent_platform.secrecy.failure_text import failure_text
from agent_platform.secrecy.known_secrets import KNOWN

MEDIA_TYPE = "application/problem+json"


class KindWords(NamedTuple):
    """What a kind of problem is to people."""

    status: int
    title: str
    cause: str
    remedy: str


KINDS: Mapping[Kind, KindWords] = {
    Kind.UNAUTHORIZED: KindWords(
        401,
        "Token missing or wrong",
        "The request has no token, or a wrong one. A browser was logged out.",
        "Send `Authorization: Bearer <token>`; the token is in the link that `foldline up` prints.",
    ),
    Kind.FORBIDDEN_HOST: KindWords(
        403,
        "Host not allowed",
        "The `Host` header names a machine that this gateway does not answer for.",
        "Use the address that `foldline up` printed, or add the name to `FOLDLINE_ALLOWED_HOSTS`.",
    ),
    Kind.FORBIDDEN_ORIGIN: KindWords(
        403,
        "Origin not allowed",
        "A page of another site sent the request.",
        "Call the API from a server, or from a page that the gateway serves.",
    ),
    Kind.TOO_MANY_ATTEMPTS: KindWords(
        429,
        "Too many wrong tokens",
        "Ten wrong tokens came from your address.",
        "Wait as long as `Retry-After` says, then send the right token.",
    ),
    Kind.NOT_FOUND: KindWords(
        404,
        "Not found",
        "There is no such thing, or it was deleted.",
        "Check the id; list the things to see which there are.",
    ),
    Kind.ERASED: KindWords(
        410,
        "Erased",
        "It was there and was deleted for good.",
        "Nothing brings it back. Stop asking for it.",
    ),
    Kind.METHOD_NOT_ALLOWED: KindWords(
        405,
        "Method not allowed",
        "The path exists, but not with this method.",
        "Look up the operation in `/api/openapi.json`.",
    ),
    Kind.INVALID_REQUEST: KindWords(
        422,
        "Request not valid",
        "A member or a parameter is missing, unknown or out of its bounds.",
        "Correct what `path` and `errors` name. The same request will fail again.",
    ),
    Kind.INVALID_ID: KindWords(
        422,
        "Id not valid",
        "An id has other characters than letters, digits, `_` and `-`, or is too long.",
        "Send the id as you got it.",
    ),
    Kind.BAD_TEXT: KindWords(
        422,
        "Text can't be stored",
        "A text has half of a surrogate pair or another character that can't be stored.",
        "Send valid UTF-8.",
    ),
    Kind.REQUEST_TIMEOUT: KindWords(
        408,
        "The request did not arrive in time",
        "The head or the body of the request came too slowly.",
        "Send it again over a better connection.",
    ),
    Kind.TOO_LARGE: KindWords(
        413,
        "Too large",
        "The body, a file or a text is larger than allowed.",
        "`detail` says the limit. Send less, or send it as a file.",
    ),
    Kind.RANGE_NOT_SATISFIABLE: KindWords(
        416,
        "Range behind the end",
        "The `Range` begins after the end of the file.",
        "Ask for a range inside the file.",
    ),
    Kind.PRECONDITION_FAILED: KindWords(
        412,
        "Changed meanwhile",
        "Somebody changed the thing after you read it.",
        "Read it again, and repeat the change with its new `version`.",
    ),
    Kind.SESSION_CLOSED: KindWords(
        409,
        "Session closed",
        "The session is archived or has ended.",
        "Reopen it, fork it, or begin a new one.",
    ),
    Kind.NOT_ARCHIVED: KindWords(
        409,
        "Session not archived",
        "Only an archived session can be reopened.",
        "Write in it as it is.",
    ),
    Kind.ALREADY_ANSWERED: KindWords(
        409,
        "Call already answered",
        "The call got another answer first.",
        "Read the turn: it goes on with the first answer.",
    ),
    Kind.CALL_NOT_OPEN: KindWords(
        409,
        "Call not open",
        "The call does not wait for anything now.",
        "Read the turn to see where it stands.",
    ),
    Kind.CONFLICT: KindWords(
        409,
        "Taken, or changed meanwhile",
        "The name is taken, or two changes came at once.",
        "Choose another name, or read the thing again and repeat.",
    ),
    Kind.IDEMPOTENCY_MISMATCH: KindWords(
        422,
        "Idempotency key used for another request",
        "The `Idempotency-Key` was used for a request with another body.",
        "Use a new key for each new request.",
    ),
    Kind.CODE_FAILED: KindWords(
        422,
        "The agent's code failed",
        "A tool or function that the agent wrote raised an error.",
        "`detail` has its message. Correct the code, or ask the agent to.",
    ),
    Kind.APPROVAL_NEEDED: KindWords(
        403,
        "A person has to allow it first",
        "The policy asks a person first, and nobody is there to ask in this call.",
        "Allow it in the policy, or run it in a chat.",
    ),
    Kind.MCP_SERVER_FAILED: KindWords(
        424,
        "An MCP server failed",
        "A foreign server could not be reached, or answered with an error.",
        "`detail` has what it said. Test the server in the Studio.",
    ),
    Kind.OUTCOME_UNKNOWN: KindWords(
        409,
        "Nobody knows whether it was done",
        "A worker died while it did something that must not happen twice.",
        "Find out whether it happened, and say so at `/outcomes`.",
    ),
    Kind.QUOTA_EXCEEDED: KindWords(
        429,
        "Quota used up",
        "The agent used up what it may write or keep.",
        "Raise the quota, delete files, or wait until it begins anew.",
    ),
    Kind.BAD_WAKE: KindWords(
        422,
        "Not a wake",
        "The message is not a CloudEvent that can wake anything.",
        "`detail` says what is wrong. See [wakes](../wakes.md).",
    ),
    Kind.INBOX_FULL: KindWords(
        409,
        "Inbox full",
        "The agent already has as many messages in its inbox as it may.",
        "Wait until it has read some, or delete some.",
    ),
    Kind.RATE_LIMITED: KindWords(
        429,
        "Too many requests",
        "Too many requests came with these credentials.",
        "Wait as long as `Retry-After` says.",
    ),
    Kind.NOT_PERMITTED: KindWords(
        403,
        "Not permitted to these credentials",
        "These credentials may not do this, or only a person may.",
        "Use credentials that may, or do it in the Studio.",
    ),
    Kind.PROJECTION_BEHIND: KindWords(
        503,
        "Projection behind",
        "The lists have not caught up with the log. What was said is safe in it.",
        "Repeat after `Retry-After`. If it lasts, see [lists lag](../operate/runbook.md).",
    ),
    Kind.STORAGE: KindWords(
        503,
        "Nothing can be stored",
        "The disk of the log is full, or can't be written. What was stored is safe.",
        "Make room; Foldline continues automatically within a minute. Then repeat with the same "
        "`Idempotency-Key`. See [a full disk](../operations.md#a-full-disk).",
    ),
    Kind.UNAVAILABLE: KindWords(
        503,
        "Unavailable",
        "The log, the database or a worker can't be reached now.",
        "Repeat after `Retry-After` with the same `Idempotency-Key`. `foldline doctor` says what is missing.",
    ),
    Kind.INTERNAL: KindWords(
        500,
        "Internal error",
        "A bug in Foldline.",
        "The log has a line `request.failed` or a traceback. Send us `foldline support`.",
    ),
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
    status, title, *_ = KINDS[error.kind]
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
