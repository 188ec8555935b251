"""What a program asks a proxy for, as the gate judges it. Pure."""

import h11
import msgspec

from agent_contracts.errors import ErrorKind, Rejected
from egress.fetching import FetchRequest
from egress.redirects import Hop
from egress.targets import target_of

TUNNEL = "CONNECT"
"""The method of what is carried unseen: neither a path nor what is done there is known."""
_OF_THE_CONNECTION = frozenset(
    {
        *(b"connection", b"keep-alive", b"proxy-connection", b"proxy-authenticate", b"proxy-authorization"),
        *(b"te", b"trailer", b"transfer-encoding", b"upgrade", b"http2-settings", b"expect"),
    }
)


def hop_of(request: h11.Request) -> Hop:
    """Where a request leads, and all that it says besides; the path of a tunnel is empty. A body shows by the
    headers that announce it.

    `Rejected` as `target_of`, and for what isn't a request to a proxy. `Host` says nothing: the address does.
    """
    asked = request.target.decode("ascii")
    method = request.method.decode("ascii")
    if method == TUNNEL:
        if not asked.rpartition(":")[2].isdecimal():
            raise Rejected("CONNECT names host:port", kind=ErrorKind.INVALID_ARGUMENTS)
        target = target_of(f"https://{asked}/")
        if target.path != "/":
            raise Rejected("CONNECT names host:port", kind=ErrorKind.INVALID_ARGUMENTS)
        return Hop(msgspec.structs.replace(target, path=""), FetchRequest(target.url, TUNNEL))
    if not asked.lower().startswith("http://"):
        raise Rejected("this is a proxy for http and https", kind=ErrorKind.INVALID_ARGUMENTS)
    target = target_of(asked)
    said = end_to_end(request, without=b"host")
    if is_chunked(request):
        said.append((b"transfer-encoding", b"chunked"))
    headers = tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in said)
    return Hop(target, FetchRequest(target.url, method, headers))


def end_to_end(message: h11.Request | h11.Response, without: bytes = b"") -> list[tuple[bytes, bytes]]:
    """The headers that are not of the connection."""
    named = {
        name.strip().lower()
        for key, value in message.headers
        if key == b"connection"
        for name in value.split(b",")
    }
    dropped = (_OF_THE_CONNECTION | named | {without}) - {b"content-length"}
    if is_chunked(message):
        dropped |= {b"content-length"}  # a length that nobody goes by is how requests are smuggled
    return [(name, value) for name, value in message.headers.raw_items() if name.lower() not in dropped]


def is_chunked(message: h11.Request | h11.Response) -> bool:
    """Whether its body comes in pieces."""
    return any(name == b"transfer-encoding" for name, _ in message.headers)
