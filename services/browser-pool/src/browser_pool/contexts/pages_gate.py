"""What pages send by themselves: judged before it leaves, by the policy of the call that uses the browser.

Each request of a page is paused before it is made, redirects too. Playwright asks about WebSockets of pages.
Those of workers, and streams over WebSockets, are judged by the context's proxy for these. The other one
judges all that it sees: http, and hosts of https.
"""

from collections import Counter
from collections.abc import Callable
from urllib.parse import SplitResult, urlsplit

import structlog
from playwright.async_api import Error, WebSocketRoute

from agent_contracts.errors import ErrorKind, Failure, Rejected
from agent_contracts.outside import host_of
from agent_contracts.policies import Verdict
from agent_domain.policies.policy_request import WebOrigin
from agent_tools.running.gate import RequestGate
from browser_pool.chromium.request_interceptor import PausedRequest
from egress.guard import EgressGate
from egress.proxy.requests import TUNNEL
from egress.redirects import Hop
from egress.targets import RequestTarget

log = structlog.get_logger()

SOCKET = "WEBSOCKET"
"""The method of a WebSocket: what is sent over it is seen by nobody."""
_REPORTS = frozenset({"Ping", "CSPViolationReport"})
"""Kinds of requests by which pages report on whoever looks at them. No person is asked for these."""
_OF_THE_WEB = frozenset({"http", "https"})
MOST_TOLD = 5
"""Notes of one call about what was kept back."""

Hosts = Callable[[], frozenset[str]]
Kept = Callable[[str, str, Failure], None]


class PagesGate:
    """For one context. What the policy lets through goes on; the rest is kept back.

    Where a person may allow it, the call ends with that question if it is what the call led to: a document
    that is sent for (a form), or something for a host that a page is from. For anything else, such as what
    counts visitors, nobody is asked: the call goes on, and its result says what was kept back.
    """

    def __init__(self, is_held: Callable[[], bool], hosts: Hosts, kept: Kept) -> None:
        """`hosts` are those that the open pages are from; `kept` is told of what is kept back: its method and
        URL, and why."""
        self._is_held = is_held
        self._hosts = hosts
        self._kept = kept
        self._gate: RequestGate | None = None
        self._runs = False
        self._told: dict[str, str] = {}
        self._more = 0
        self._let: Counter[str] = Counter()

    def begin(self, gate: RequestGate) -> None:
        """A call uses the browser: pages send in its name."""
        self._gate, self._runs = gate, True

    def end(self, gate: RequestGate) -> None:
        """It doesn't any more. Until the next one, what was allowed for longer than that call is."""
        if gate is self._gate:
            self._gate, self._runs = gate.afterwards(), False

    def take_notes(self) -> list[str]:
        """What was kept back, in sentences, since this was last asked."""
        told, self._told = list(self._told.values()), {}
        more, self._more = self._more, 0
        return told + ([f"kept back: {more} times something else of the kind"] if more else [])

    async def lets_through(self, request: PausedRequest) -> bool:
        """See `Judge`."""
        parts = urlsplit(request.url)
        if parts.scheme not in _OF_THE_WEB:
            return True
        to = _origin(parts)
        own = to.host == host_of(request.page_url) and request.kind not in _REPORTS
        failure = await self._refusal(request.method, to, _path(parts), asks=own or request.is_document)
        if failure is not None:
            self._kept(request.method, request.url, failure)
        return failure is None

    async def socket(self, socket: WebSocketRoute) -> None:
        """A page wants to connect."""
        parts = urlsplit(socket.url)
        to = _origin(parts)
        failure = await self._refusal(SOCKET, to, _path(parts), asks=to.host in self._hosts())
        try:
            if failure is None:
                self._let[to.host] += 1
                socket.connect_to_server()
            else:
                self._kept("GET", socket.url, failure)
                await socket.close(code=1008, reason="not allowed")
        except Error:
            return

    @property
    def sockets(self) -> EgressGate:
        """Of the proxy for WebSockets."""
        return _Sockets(self)

    async def require_socket(self, to: WebOrigin) -> None:
        """Raises where a WebSocket is kept back. One of a page was asked for before, with its path."""
        if self._let[to.host]:
            self._let[to.host] -= 1
            return
        await self.require(SOCKET, to, "")

    async def check(self, hop: Hop, first: RequestTarget) -> None:
        """See `egress.guard.EgressGate`. Of a tunnel only the host is known: what is done in it was asked for
        before, so it is judged as reading."""
        method, path = hop.request.method, hop.target.path
        if method == TUNNEL:
            method, path = "GET", ""
        await self.require(method, _origin_of(hop.target), path)

    async def require(self, method: str, to: WebOrigin, path: str) -> None:
        """Raises where it is kept back; nobody is asked."""
        failure = await self._refusal(method, to, path, asks=False)
        if failure is not None:
            raise failure

    async def _refusal(self, method: str, to: WebOrigin, path: str, *, asks: bool) -> Failure | None:
        """Why it is kept back; None if it isn't. What a person does with the browser is theirs."""
        if self._is_held():
            return None
        gate = self._gate
        if gate is None:
            return Rejected("nobody uses this browser", kind=ErrorKind.REFUSED)
        try:
            asked = gate.of_page(method, to, path)
            judged = await gate.judged(asked)
        except Failure as failure:
            log.warning("page.not_judged", host=to.host, reason=failure.message)
            return failure
        if judged.verdict is Verdict.ALLOW:
            return None
        if judged.verdict is Verdict.ASK and asks and self._runs:
            return gate.refusal(asked, judged)
        what = f"{method} to {to.host if to.is_usual else to.place}"
        if what in self._told or len(self._told) < MOST_TOLD:
            self._told[what] = f"kept back: a page wanted {what} by itself ({judged.rule})"
        else:
            self._more += 1
        kind = ErrorKind.REFUSED if judged.verdict is Verdict.DENY else ErrorKind.APPROVAL_NEEDED
        return Rejected(f"{what} is not allowed ({judged.rule})", kind=kind)


class _Sockets:
    """A `EgressGate` for nothing but WebSockets."""

    def __init__(self, pages: PagesGate) -> None:
        self._pages = pages

    async def check(self, hop: Hop, first: RequestTarget) -> None:
        """See `EgressGate`."""
        await self._pages.require_socket(_origin_of(hop.target))


def _path(url: SplitResult) -> str:
    """With the query, as it is asked for."""
    return f"{url.path or '/'}?{url.query}" if url.query else url.path or "/"


def _origin(parts: SplitResult) -> WebOrigin:
    """Of a URL that Chromium has read: what it is sent to."""
    scheme = "https" if parts.scheme in ("https", "wss") else "http"
    usual = 443 if scheme == "https" else 80
    return WebOrigin(scheme, (parts.hostname or "").rstrip("."), parts.port or usual)


def _origin_of(target: RequestTarget) -> WebOrigin:
    return WebOrigin(target.scheme, target.host, target.port)
