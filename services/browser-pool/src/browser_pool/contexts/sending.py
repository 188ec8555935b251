"""What pages send by themselves: judged before it leaves, by the policy of the call that uses the browser.

Chromium asks for each request before it makes it. What it doesn't ask for (redirects, what is left of a page
that is closed) is judged by the context's proxy, as far as that sees it: all of http, the hosts of https.
"""

from collections.abc import Callable
from urllib.parse import SplitResult, urlsplit

import structlog
from playwright.async_api import Error, Request, Route, WebSocketRoute

from agent_contracts.errors import ErrorKind, Failure, Rejected
from agent_contracts.outside import host_of
from agent_contracts.policies import Verdict
from agent_tools.running.gate import RequestGate
from browser_pool.preflights import Preflights
from egress.guard import Gate
from egress.proxy.requests import TUNNEL
from egress.redirects import Hop
from egress.targets import Target

log = structlog.get_logger()

SOCKET = "WEBSOCKET"
"""The method of a WebSocket: what is sent over it is seen by nobody."""
_REPORTS = frozenset({"ping", "cspviolationreport"})
"""Kinds of requests by which pages report on whoever looks at them. No person is asked for these."""
_OF_THE_WEB = frozenset({"http", "https"})
_KEPT_BACK = "blockedbyclient"
_OTHER_ORIGIN = "the server doesn't let pages of other origins send this"
MOST_TOLD = 5
"""Notes of one call about what was kept back."""

Hosts = Callable[[], frozenset[str]]
Kept = Callable[[Request | WebSocketRoute, Failure], None]


class PagesGate:
    """For one context. What the policy lets through goes on; the rest is kept back.

    Where a person may allow it, the call ends with that question if it is what the call led to: a document
    that is sent for (a form), or something for a host that a page is from. For anything else, such as what
    counts visitors, nobody is asked: the call goes on, and its result says what was kept back.
    """

    def __init__(self, is_held: Callable[[], bool], hosts: Hosts, kept: Kept, preflights: Preflights) -> None:
        """`hosts` are those that the open pages are from; `kept` is told of what is kept back."""
        self._preflights = preflights
        self._is_held = is_held
        self._hosts = hosts
        self._kept = kept
        self._gate: RequestGate | None = None
        self._runs = False
        self._told: dict[str, str] = {}
        self._more = 0

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

    async def route(self, route: Route) -> None:
        """Chromium asks."""
        request = route.request
        try:
            failure = await self._judged(request)
            if failure is None:
                await route.continue_()
                return
            self._kept(request, failure)
            # A page whose next document is given up stays as it is, with what was typed there.
            await route.abort("aborted" if request.is_navigation_request() else _KEPT_BACK)
        except Error:
            return  # its page is gone, and the request with it

    async def _judged(self, request: Request) -> Failure | None:
        parts = urlsplit(request.url)
        if parts.scheme not in _OF_THE_WEB:
            return None
        host = (parts.hostname or "").rstrip(".")
        own = host == _host_of_page(request) and request.resource_type not in _REPORTS
        failure = await self._refusal(request.method, host, _path(parts), asks=own or _is_document(request))
        if failure is not None or request.is_navigation_request():
            return failure
        try:
            allowed = await self._preflights.allow(request.method, request.url, request.headers)
        except Failure as unreadable:
            return unreadable
        return None if allowed else Rejected(_OTHER_ORIGIN, kind=ErrorKind.BLOCKED)

    async def socket(self, socket: WebSocketRoute) -> None:
        """A page wants to connect."""
        parts = urlsplit(socket.url)
        host = (parts.hostname or "").rstrip(".")
        failure = await self._refusal(SOCKET, host, _path(parts), asks=host in self._hosts())
        try:
            if failure is None:
                socket.connect_to_server()
            else:
                self._kept(socket, failure)
                await socket.close(code=1008, reason="not allowed")
        except Error:
            return

    @property
    def unencrypted(self) -> Gate:
        """Of what is said in a tunnel in the clear: only WebSockets are spoken so."""
        return _Sockets(self)

    async def check(self, hop: Hop, first: Target) -> None:
        """See `egress.guard.Gate`. Of a tunnel only the host is known: what is done in it was asked for
        before, so it is judged as reading."""
        method, path = hop.request.method, hop.target.path
        if method == TUNNEL:
            method, path = "GET", ""
        await self.require(method, hop.target.host, path)

    async def require(self, method: str, host: str, path: str) -> None:
        """Raises where it is kept back; nobody is asked."""
        failure = await self._refusal(method, host, path, asks=False)
        if failure is not None:
            raise failure

    async def _refusal(self, method: str, host: str, path: str, *, asks: bool) -> Failure | None:
        """Why it is kept back; None if it isn't. What a person does with the browser is theirs."""
        if self._is_held():
            return None
        gate = self._gate
        if gate is None:
            return Rejected("nobody uses this browser", kind=ErrorKind.REFUSED)
        try:
            asked = gate.of_page(method, host, path)
            judged = await gate.judged(asked)
        except Failure as failure:
            log.warning("page.not_judged", host=host, reason=failure.message)
            return failure
        if judged.verdict is Verdict.ALLOW:
            return None
        if judged.verdict is Verdict.ASK and asks and self._runs:
            return gate.refusal(asked, judged)
        what = f"{method} to {host}"
        if what in self._told or len(self._told) < MOST_TOLD:
            self._told[what] = f"kept back: a page wanted {what} by itself ({judged.rule})"
        else:
            self._more += 1
        kind = ErrorKind.REFUSED if judged.verdict is Verdict.DENY else ErrorKind.APPROVAL_NEEDED
        return Rejected(f"{what} is not allowed ({judged.rule})", kind=kind)


class _Sockets:
    """A `Gate` of unencrypted tunnels."""

    def __init__(self, pages: PagesGate) -> None:
        self._pages = pages

    async def check(self, hop: Hop, first: Target) -> None:
        """See `Gate`."""
        await self._pages.require(SOCKET, hop.target.host, "")


def _path(url: SplitResult) -> str:
    """With the query, as it is asked for."""
    return f"{url.path or '/'}?{url.query}" if url.query else url.path or "/"


def _host_of_page(request: Request) -> str | None:
    """That of the page that the request is of; None where that isn't there yet, or any more."""
    try:
        return host_of(request.frame.page.url)
    except Error:
        return None


def _is_document(request: Request) -> bool:
    """Whether a whole page is to come of it."""
    if not request.is_navigation_request():
        return False
    try:
        return request.frame.parent_frame is None
    except Error:
        return True  # a window that just opens
