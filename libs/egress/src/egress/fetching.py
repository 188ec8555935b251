"""What is asked of the guard, and what comes back."""

from typing import BinaryIO

import msgspec

from agent_contracts.errors import ErrorKind, Rejected

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
"""Those that change nothing at the other end: an attempt that failed may be repeated."""

LARGEST_BODY = 2 * 1024 * 1024
"""Bytes of a decoded answer that are kept, unless the request says otherwise."""
LONGEST_S = 30.0
"""How long a request may take in all, redirects included, in seconds."""

_OURS = frozenset(
    {
        "host",
        "connection",
        "keep-alive",
        "proxy-connection",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "expect",
        "content-length",
        "accept-encoding",
    }
)
"""Headers of the connection: they are the guard's to set, and left out where given, as browsers do."""


class FetchRequest(msgspec.Struct, frozen=True):
    """One request. Of the body, at most `limit` bytes are kept; `timeout_s` is for all of it, in seconds.

    With `into`, the body of a success is written to that file as it comes, instead of being in memory.
    """

    url: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    limit: int = LARGEST_BODY
    timeout_s: float = LONGEST_S
    into: BinaryIO | None = None


class FetchResponse(msgspec.Struct, frozen=True):
    """One answer. Header names are in lower case, repeated ones joined by `, `; `url` is where it came from
    after redirects; `truncated` says that the body was longer than the request's limit. `body` is empty where
    it was written to a file."""

    status: int
    headers: dict[str, str]
    body: bytes
    url: str
    truncated: bool

    @property
    def ok(self) -> bool:
        """Whether it is a success."""
        return 200 <= self.status < 300


def checked(request: FetchRequest) -> FetchRequest:
    """The request with its method in capitals and without headers that aren't the caller's.

    `Rejected(kind="invalid_arguments")` for a method there isn't, a body where none may be, broken headers.
    """
    method = request.method.upper()
    if method not in METHODS:
        raise _wrong(f"the method is one of {', '.join(sorted(METHODS))}", "/method")
    if request.body and method in ("GET", "HEAD"):
        raise _wrong(f"{method} has no body", "/body")
    headers = tuple((name.strip().lower(), value.strip()) for name, value in request.headers)
    for name, value in headers:
        if not name or not all(character in _TOKEN for character in name):
            raise _wrong(f"{name[:40]!r} is not a header name", "/headers")
        if any(ord(character) < 32 and character != "\t" for character in value) or "\x7f" in value:
            raise _wrong(f"the header {name} holds a control character", f"/headers/{name}")
    kept = tuple((name, value) for name, value in headers if name not in _OURS)
    return msgspec.structs.replace(request, method=method, headers=kept)


_TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")


def _wrong(message: str, path: str) -> Rejected:
    return Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path=path)
