"""Whether a server lets a page of another origin send it more than a form could.

Chromium asks servers itself, but Playwright answers in their stead once requests are judged. So they are
asked here, by the rules of CORS (https://fetch.spec.whatwg.org/#cors-preflight-fetch).
"""

from collections.abc import Mapping

from cachetools import TTLCache

from agent_contracts.errors import Failure
from egress.fetching import FetchRequest
from egress.guard import Egress
from egress.targets import target_of

_SIMPLE_METHODS = frozenset({"GET", "HEAD", "POST"})
_SIMPLE_HEADERS = frozenset(
    {
        *("accept", "accept-language", "content-language", "range", "referer", "user-agent", "origin", "dnt"),
        *("cache-control", "pragma", "upgrade-insecure-requests", "content-length", "cookie", "host"),
        *("x-client-data", "priority", "purpose", "connection", "accept-encoding", "save-data"),
    }
)
"""With those that the browser sets, whatever the page says."""
_SIMPLE_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain")
_PREFIXES = ("sec-", "proxy-")
_KEPT, _KEPT_S = 1_000, 60.0
_WITHIN_S = 10.0


class Preflights:
    """Asks servers, and remembers for a minute what they said."""

    def __init__(self, egress: Egress) -> None:
        self._egress = egress
        self._known: TTLCache[tuple[str, ...], bool] = TTLCache(_KEPT, _KEPT_S)

    async def allow(self, method: str, url: str, headers: Mapping[str, str]) -> bool:
        """Whether a request with these headers (their names in lower case) may be made. One that says no more
        than a form may, or that isn't to another origin, needs nobody's leave."""
        origin = headers.get("origin")
        special = special_headers(headers)
        if origin is None or (method in _SIMPLE_METHODS and not special):
            return True
        if origin == _origin_of(url):
            return True
        asked = (origin, url, method, *special)
        if asked not in self._known:
            self._known[asked] = await self._asked(origin, url, method, special)
        return self._known[asked]

    async def _asked(self, origin: str, url: str, method: str, special: list[str]) -> bool:
        headers = [("origin", origin), ("access-control-request-method", method)]
        if special:
            headers.append(("access-control-request-headers", ",".join(special)))
        request = FetchRequest(url, "OPTIONS", tuple(headers), limit=1, timeout_s=_WITHIN_S)
        try:
            answer = await self._egress.fetch(request)
            moved = target_of(answer.url) != target_of(url)
        except Failure:
            return False
        if not answer.ok or moved or answer.headers.get("access-control-allow-origin") not in (origin, "*"):
            return False
        methods = _listed(answer.headers.get("access-control-allow-methods", ""))
        allowed = {name.lower() for name in _listed(answer.headers.get("access-control-allow-headers", ""))}
        if method not in _SIMPLE_METHODS | methods and "*" not in methods:
            return False
        return all(name in allowed or ("*" in allowed and name != "authorization") for name in special)


def special_headers(headers: Mapping[str, str]) -> list[str]:
    """The names of those that no form could send, in order."""
    return sorted(name for name, value in headers.items() if not _is_simple(name, value))


def _is_simple(name: str, value: str) -> bool:
    if name == "content-type":
        return value.partition(";")[0].strip().lower() in _SIMPLE_TYPES
    return name in _SIMPLE_HEADERS or name.startswith(_PREFIXES)


def _origin_of(url: str) -> str:
    target = target_of(url)
    return f"{target.scheme}://{target.authority}"


def _listed(text: str) -> set[str]:
    return {one.strip() for one in text.split(",") if one.strip()}
