"""What the pages of a context send, until a call tells of it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, Error, Page, Request, Response, WebSocket

from agent_contracts.egress import LONGEST_PATH, MOST_LISTED, EgressRequest, EgressVerdict
from agent_contracts.errors import Failure, Rejected
from agent_tools.context import EgressNotes
from browser_pool.contexts.typed_secrets import TypedSecrets
from egress.proxy.refusals import Refusals
from egress.request_note import verdict_of

_SCHEMES = frozenset({"http", "https", "ws", "wss"})
_LINE = len(" HTTP/1.1\r\n\r\n")
_AROUND = len(": \r\n")


class _One:
    """What is known of a request, or of a WebSocket, by now."""

    def __init__(self, method: str, url: str, bytes_out: int, kept: EgressVerdict | None = None) -> None:
        self.method = method
        self.url = url
        self.bytes_out = bytes_out
        self.bytes_in = 0
        self.status: int | None = None
        self.failed = False
        self.kept = kept


@dataclass(eq=False)
class _RefusedRequest:
    """A request that wasn't made."""

    method: str
    url: str
    verdict: EgressVerdict


class ContextEgress:
    """The requests of one context since a call last told of them, by `MOST_LISTED`; others are counted.

    A request is told of by the call in which it begins, or by the next one if it began between two. Nothing
    is kept of what leaves while a person has the context: that is theirs.
    """

    def __init__(
        self,
        context: BrowserContext,
        refusals: Refusals,
        typed: TypedSecrets,
        is_held: Callable[[], bool],
    ) -> None:
        self._refusals = refusals
        self._typed = typed
        self._is_held = is_held
        self._listed: dict[object, _One] = {}
        self._kept: list[_RefusedRequest] = []
        self._more = 0
        context.on("request", self._began)
        context.on("response", self._answered)
        context.on("requestfinished", self._finished)
        context.on("requestfailed", self._failed)

    def watch(self, page: Page) -> None:
        """WebSockets are the page's to tell."""
        page.on("websocket", self._opened)

    def tell(self, outgoing: EgressNotes) -> None:
        """Have a call tell of all of it."""
        listed, self._listed = self._listed, {}
        kept, self._kept = self._kept, []
        more, self._more = self._more, 0
        for one in kept:
            if not _found(one, listed.values()):
                listed[one] = _One(one.method, one.url, 0, one.verdict)
        for request in listed.values():
            outgoing.note(self._noted(request))
        outgoing.leave_out(more)

    def kept_back(self, method: str, url: str, failure: Failure) -> None:
        """It wasn't made. Of most such requests Playwright tells too, now or later."""
        if self._is_held():
            return
        if len(self._kept) >= MOST_LISTED:
            self._more += 1
        else:
            self._kept.append(_RefusedRequest(method, url, verdict_of(failure)))

    def noted(self, request: EgressRequest) -> None:
        """The proxy tells of a request. All but what it kept back is known."""
        if request.verdict not in ("asked", "refused"):
            return
        for one in reversed(self._listed.values()):
            parts = urlsplit(one.url)
            if (one.method, parts.hostname, one.kept) == (request.method, request.host, None):
                one.kept = request.verdict
                return

    def _noted(self, one: _One) -> EgressRequest:
        parts = urlsplit(one.url)
        verdict = one.kept or _verdict(one, self._refusals.of(one.url))
        left = verdict == "sent"
        return EgressRequest(
            host=parts.hostname or "",
            method=one.method,
            path=self._typed.without(parts.path or "/")[:LONGEST_PATH],
            verdict=verdict,
            bytes_out=one.bytes_out if left else 0,
            bytes_in=one.bytes_in if left else 0,
            status=one.status if left else None,
        )

    def _add(self, key: object, one: _One) -> None:
        if self._is_held() or urlsplit(one.url).scheme not in _SCHEMES:
            return
        if len(self._listed) >= MOST_LISTED:
            self._more += 1
        else:
            self._listed[key] = one

    def _began(self, request: Request) -> None:
        size = len(request.method) + len(request.url) + _LINE
        size += sum(len(name) + len(value) + _AROUND for name, value in request.headers.items())
        self._add(request, _One(request.method, request.url, size + len(request.post_data_buffer or b"")))

    def _answered(self, response: Response) -> None:
        one = self._listed.get(response.request)
        if one is not None:
            one.status = response.status

    async def _finished(self, request: Request) -> None:
        one = self._listed.get(request)
        if one is None:
            return
        try:
            sizes = await request.sizes()
        except Error:
            return  # its page is gone: what is known of it stays
        one.bytes_out = sizes["requestHeadersSize"] + sizes["requestBodySize"]
        one.bytes_in = sizes["responseHeadersSize"] + sizes["responseBodySize"]

    def _failed(self, request: Request) -> None:
        one = self._listed.get(request)
        if one is not None:
            one.failed = one.status is None and request.failure != "net::ERR_ABORTED"

    def _opened(self, socket: WebSocket) -> None:
        one = _One("GET", socket.url, 0)
        self._add(socket, one)
        if socket not in self._listed:
            return
        socket.on("framesent", lambda frame: _count(one, out=frame))
        socket.on("framereceived", lambda frame: _count(one, came=frame))


def _found(kept: _RefusedRequest, listed: Iterable[_One]) -> bool:
    """Whether Playwright told of it: it is what was kept back, then, and with it the question that Chromium
    would have asked the server before (CORS)."""
    of_it = [one for one in listed if one.url == kept.url and one.kept is None and one.status is None]
    for one in of_it:
        if one.method in (kept.method, "OPTIONS"):
            one.kept = kept.verdict
    return any(one.method == kept.method for one in of_it)


def _count(one: _One, out: str | bytes = b"", came: str | bytes = b"") -> None:
    one.bytes_out += len(out)
    one.bytes_in += len(came)


def _verdict(one: _One, refusal: Failure | None) -> EgressVerdict:
    """What the rules refuse is `blocked`. What was given up may have left, and counts as sent."""
    if isinstance(refusal, Rejected):
        return "blocked"
    return "failed" if one.failed else "sent"
