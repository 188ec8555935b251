"""What becomes of a request that is sent elsewhere. Pure."""

import msgspec

from agent_contracts.errors import Rejected
from egress.fetching import FetchRequest
from egress.targets import RequestTarget, target_of

MOST = 5
"""How many redirects are followed."""

_STATUSES = frozenset({301, 302, 303, 307, 308})
_ANYWHERE = frozenset(
    {"accept", "accept-language", "content-language", "content-type", "range", "user-agent"}
)
"""Headers that go along to another origin. Of any other, nobody can say that it is no credential."""


class Hop(msgspec.Struct, frozen=True):
    """One request of a chain. `first` says that the URL is the caller's own and not a server's."""

    target: RequestTarget
    request: FetchRequest
    first: bool = True


def is_redirect(status: int, headers: dict[str, str]) -> bool:
    """Whether the answer sends elsewhere."""
    return status in _STATUSES and "location" in headers


def next_hop(hop: Hop, status: int, location: str) -> Hop:
    """The request that follows: without its body where the method changes, as browsers do, and without all
    but harmless headers where the origin does. `Rejected` as `target_of`, without the server's words."""
    try:
        target = target_of(location, hop.target)
    except Rejected as error:
        message = f"{hop.target.host} redirects to an address that can't be fetched"
        raise Rejected(message, kind=error.kind, path=error.path) from None
    request = hop.request
    becomes_get = (status == 303 and request.method != "HEAD") or (
        status in (301, 302) and request.method == "POST"
    )
    headers = request.headers
    if becomes_get:
        headers = tuple(one for one in headers if not one[0].startswith("content-"))
    if target.origin != hop.target.origin:
        headers = tuple(one for one in headers if one[0] in _ANYWHERE)
    method, body = ("GET", None) if becomes_get else (request.method, request.body)
    return Hop(target, msgspec.structs.replace(request, headers=headers, method=method, body=body), False)
