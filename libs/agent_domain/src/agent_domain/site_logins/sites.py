"""What a browser has of each site: cookies and local storage, split by site. Pure."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

import msgspec

Json = dict[str, Any]


class StorageState(msgspec.Struct, frozen=True):
    """As Playwright gives and takes it: `cookies`, and `origins` with their `localStorage`."""

    cookies: tuple[Json, ...] = ()
    origins: tuple[Json, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to keep."""
        return not self.cookies and not self.origins

    def plus(self, other: "StorageState") -> "StorageState":
        """Both."""
        return StorageState(self.cookies + other.cookies, self.origins + other.origins)


def by_site(state: StorageState, visited: Iterable[str]) -> dict[str, StorageState]:
    """The state of the sites that `visited` hosts belong to, and of no other: not of those whose parts were
    only embedded.

    A site is the widest domain that a cookie of the host is for, which is never a public suffix, as browsers
    refuse such cookies; without one, it is the host itself.
    """
    domains = {_domain(cookie) for cookie in state.cookies}
    sites = {_site(host, domains) for host in visited}
    widest = {site for site in sites if not any(_is_below(site, other) for other in sites if other != site)}
    found = {}
    for site in widest:
        part = StorageState(
            tuple(cookie for cookie in state.cookies if _is_below(_domain(cookie), site)),
            tuple(one for one in state.origins if _is_below(host_of(str(one.get("origin", ""))), site)),
        )
        if not part.is_empty:
            found[site] = part
    return found


def host_of(url: str) -> str:
    """The host of a web page's address; empty for what has none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return (parts.hostname or "") if parts.scheme in ("http", "https") else ""


def _site(host: str, domains: set[str]) -> str:
    return min((one for one in domains if _is_below(host, one)), key=len, default=host)


def _domain(cookie: Json) -> str:
    return str(cookie.get("domain", "")).lstrip(".").lower()


def _is_below(host: str, site: str) -> bool:
    return host == site or host.endswith(f".{site}")
