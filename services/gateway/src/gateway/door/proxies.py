"""What the log says of requests that came another way than they should: by a name that isn't served, or
through a proxy that doesn't say for whom it asks."""

from ipaddress import ip_address

import structlog
from starlette.datastructures import Headers

log = structlog.get_logger()

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
_MOST_NAMES = 20
_LONGEST_NAME = 253
"""As many characters as a name in the DNS has at most."""
_FOR = "x-forwarded-for"
_OF_PROXIES = ("via", "forwarded", "x-real-ip", "x-forwarded-proto", "x-forwarded-host", "x-forwarded-port")
"""What proxies add to requests, and programs don't."""


class RefusedHosts:
    """Warns once of each name under which the gateway was asked, and which it doesn't serve. Whoever asks may
    make names up, so only the first few are told."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def tell(self, host: str) -> None:
        """A request for this name was refused; empty: it named none."""
        shown = host[:_LONGEST_NAME]
        if shown in self._told or len(self._told) >= _MOST_NAMES:
            return
        self._told.add(shown)
        log.warning(
            "door.host_refused",
            host=shown,
            advice="if people reach Foldline by this name, add it to FOLDLINE_ALLOWED_HOSTS",
        )


class HidingProxies:
    """Warns once of a proxy behind which everybody has one address: their wrong tokens count together. To be
    asked of requests alone whose name is served: any name may reach this machine without a proxy."""

    def __init__(self) -> None:
        self._has_warned = False

    def look(self, headers: Headers, address: str) -> None:
        """At a request from this address, as the server knows it."""
        if self._has_warned or not hides_addresses(headers, address):
            return
        self._has_warned = True
        log.warning(
            "door.proxy_hides_addresses",
            address=address,
            advice="wrong tokens of all who come through this proxy count together. Have it send "
            "X-Forwarded-For, and name its address in FORWARDED_ALLOW_IPS if it isn't on this machine",
        )


def hides_addresses(headers: Headers, address: str) -> bool:
    """Whether a request came through a proxy, and from whom isn't known: the proxy doesn't say so, or isn't
    believed. One that adds nothing is known by the name that was asked for, on this very machine."""
    said = [one.strip() for line in headers.getlist(_FOR) for one in line.split(",") if one.strip()]
    if said:
        return address not in said
    if any(name in headers for name in _OF_PROXIES):
        return True
    name = headers.get("host", "").lower().rpartition(":")[0] or headers.get("host", "").lower()
    return _is_this_machine(address) and name.strip("[]") not in LOOPBACK_HOSTS


def _is_this_machine(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
