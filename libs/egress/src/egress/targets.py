"""Where a URL leads, read strictly. Pure."""

import re

import httpx
import msgspec

from agent_contracts.errors import ErrorKind, Rejected
from egress.addresses import numeric

_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})?(\.[a-z0-9_]([a-z0-9_-]{0,62})?)*")


class RequestTarget(msgspec.Struct, frozen=True):
    """A request's address. `host` is a name in ASCII, lower case, without a final dot, or a numeric address
    without brackets; `path` begins with `/` and ends with the query, percent-encoded."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def origin(self) -> tuple[str, str, int]:
        """What has to be the same for credentials to go along."""
        return self.scheme, self.host, self.port

    @property
    def authority(self) -> str:
        """The `Host` header: without the port that the scheme implies."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The whole address."""
        return f"{self.scheme}://{self.authority}{self.path}"


def target_of(url: str, base: RequestTarget | None = None) -> RequestTarget:
    """The target of a URL, relative to `base` if there is one.

    Raises `Rejected`: kind `invalid_arguments` for what is no URL, `blocked` for one that is neither http nor
    https or carries a user name or password.
    """
    try:
        parsed = httpx.URL(base.url).join(url) if base else httpx.URL(url)
        scheme, host, port = parsed.scheme, parsed.raw_host.decode("ascii"), parsed.port
    except (httpx.InvalidURL, ValueError, TypeError) as error:
        raise _unreadable(str(error)) from error
    if scheme not in _PORTS:
        raise Rejected(
            f"only http and https addresses can be fetched, not {scheme or 'one without a scheme'!r}",
            kind=ErrorKind.BLOCKED,
            path="/url",
        )
    if parsed.userinfo or "@" in parsed.netloc.decode("ascii", "replace"):
        raise Rejected(
            "the URL holds a user name or password: send them in an Authorization header",
            kind=ErrorKind.BLOCKED,
            path="/url",
        )
    host = host.strip("[]").lower().removesuffix(".")
    if numeric(host) is None and not _NAME.fullmatch(host):
        raise _unreadable("it names no host" if not host else f"{host[:80]!r} is not a host name")
    if port is not None and not 0 < port < 65536:
        raise _unreadable("its port is not valid")
    return RequestTarget(scheme, host, port or _PORTS[scheme], parsed.raw_path.decode("ascii"))


def _unreadable(why: str) -> Rejected:
    return Rejected(f"this URL can't be fetched: {why}", kind=ErrorKind.INVALID_ARGUMENTS, path="/url")
