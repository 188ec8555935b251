"""Requests of pages are paused before they leave, by the Fetch domain of the DevTools protocol.

It is switched on for each page and each frame with a process of its own as Playwright lets it run, by the
same session, before that. So nothing that a page asks for comes earlier, nor any redirect.
"""

import asyncio
import itertools
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

import msgspec
import structlog

_FIRST_ID = 1 << 30
"""Playwright counts from 1."""
_OURS = b'{"id":1'
_FRAMES = frozenset({"page", "iframe"})
_HEARD = (
    *(b'"Fetch.requestPaused"', b'"Target.attachedToTarget"', b'"Target.detachedFromTarget"'),
    b'"Page.frameNavigated"',
)
_MADE = b'"browserContextId"'
_DOCUMENT = "Document"
MOST_PAUSED = 1_000
"""Requests of a page that wait at a time; more are given up at once."""
_NO_TEXT = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
"""Half of a character."""
_NOTHING = msgspec.Raw(b"{}")

log = structlog.get_logger()

T = TypeVar("T")


class PausedRequest(msgspec.Struct, frozen=True):
    """A request that a page is about to make, or that a redirect leads it to.

    `page_url` is that of the page which it is of. `kind` is DevTools' word for what is asked for. Of a
    navigation a document is to come; `is_document`: a whole page. What asks a server whether a request may be
    made (CORS) counts as that request.
    """

    method: str
    url: str
    kind: str
    page_url: str
    is_document: bool


class Judge(Protocol):
    """Who says of the requests of one context whether they leave."""

    async def lets_through(self, request: PausedRequest) -> bool:
        """Whether it leaves. Where this raises, it doesn't."""
        ...


class _Request(msgspec.Struct, frozen=True):
    method: str
    url: str
    headers: dict[str, str] = {}


class _TargetInfo(msgspec.Struct, frozen=True, rename="camel"):
    target_id: str
    type: str
    browser_context_id: str = ""


class _Frame(msgspec.Struct, frozen=True):
    id: str
    url: str


class _Attached(msgspec.Struct, frozen=True, rename="camel"):
    session_id: str
    target_info: _TargetInfo


class _Detached(msgspec.Struct, frozen=True, rename="camel"):
    session_id: str


class _CdpRequest(msgspec.Struct, frozen=True, rename="camel"):
    request_id: str
    request: _Request
    frame_id: str
    resource_type: str


class _Moved(msgspec.Struct, frozen=True):
    frame: _Frame


class _CreatedContext(msgspec.Struct, frozen=True, rename="camel"):
    browser_context_id: str = ""


class _Error(msgspec.Struct, frozen=True):
    message: str = ""


class _Message(msgspec.Struct, frozen=True, rename="camel"):
    id: int = 0
    method: str = ""
    session_id: str = ""
    params: msgspec.Raw = _NOTHING
    result: msgspec.Raw = _NOTHING
    error: _Error = _Error()


class _WatchedPage:
    """A page, of which frames may have sessions of their own."""

    def __init__(self, target: str, judge: Judge) -> None:
        self.target = target
        self.judge = judge
        self.url = ""
        self.paused = 0


class RequestInterceptor:
    """`TapListener`, for all contexts of one Chromium. A context is known by the port of its own proxy, which
    is all that Playwright can name of its proxies; Chromium is told of all of them instead."""

    def __init__(self, say: Callable[[bytes], None], proxies: Mapping[int, str]) -> None:
        """`say` tells Chromium something; `proxies` are the rules of a context's, by its port."""
        self._say = say
        self._proxies = proxies
        self._ids = itertools.count(_FIRST_ID)
        self._judges: dict[int, Judge] = {}
        self._begun: dict[int, int] = {}
        self._contexts: dict[str, int] = {}
        self._pages: dict[str, _WatchedPage] = {}
        self._watched: dict[str, str] = {}
        self._at_work: set[asyncio.Task[None]] = set()

    def judge(self, port: int, judge: Judge) -> None:
        """Pause what the context with this proxy asks for, from its next page on."""
        self._judges[port] = judge

    def forget(self, port: int) -> None:
        """The context is closed."""
        self._judges.pop(port, None)
        self._contexts = {one: of for one, of in self._contexts.items() if of != port}

    @property
    def watched(self) -> int:
        """Of how many pages and frames the requests are paused."""
        return len(self._watched)

    def from_playwright(self, message: bytes) -> bytes:
        """See `TapListener`."""
        if b'"Target.createBrowserContext"' in message:
            made = _read(message, dict[str, Any])
            if made["method"] == "Target.createBrowserContext" and "proxyServer" in made["params"]:
                port = urlsplit(made["params"]["proxyServer"]).port or 0
                self._begun[made["id"]] = port
                made["params"]["proxyServer"] = self._proxies[port]
                return msgspec.json.encode(made)
        elif b'"Runtime.runIfWaitingForDebugger"' in message:
            said = _read(message, _Message)
            if said.method == "Runtime.runIfWaitingForDebugger" and said.session_id in self._watched:
                every = {"urlPattern": "*", "requestStage": "Request"}
                self._tell(said.session_id, "Fetch.enable", patterns=[every])
        return message

    def from_chromium(self, message: bytes) -> bytes | None:
        """See `TapListener`."""
        if message.startswith(_OURS):
            said = _read(message, _Message)
            if said.id >= _FIRST_ID:
                self._answered(said)
                return None
        if self._begun and _MADE in message:
            said = _read(message, _Message)
            port = self._begun.pop(said.id, None)
            if port is not None and (made := _read(said.result, _CreatedContext).browser_context_id):
                self._contexts[made] = port
        if any(one in message for one in _HEARD):
            return message if self._heard(_read(message, _Message)) else None
        return message

    def _heard(self, said: _Message) -> bool:
        match said.method:
            case "Fetch.requestPaused" if said.session_id in self._watched:
                self._pause(said.session_id, self._pages[said.session_id], _read(said.params, _CdpRequest))
                return False
            case "Target.attachedToTarget":
                attached = _read(said.params, _Attached)
                self._attached(said.session_id, attached.session_id, attached.target_info)
            case "Target.detachedFromTarget":
                gone = _read(said.params, _Detached).session_id
                self._pages.pop(gone, None)
                self._watched.pop(gone, None)
            case "Page.frameNavigated" if said.session_id in self._pages:
                page, frame = self._pages[said.session_id], _read(said.params, _Moved).frame
                if page.target == frame.id:
                    page.url = frame.url
        return True

    def _attached(self, parent: str, session: str, target: _TargetInfo) -> None:
        if target.type not in _FRAMES or target.target_id in self._watched.values():
            return
        if target.type == "page":
            judge = self._judges.get(self._contexts.get(target.browser_context_id, 0))
            page = None if judge is None else _WatchedPage(target.target_id, judge)
        else:
            page = self._pages.get(parent)
        if page is not None:
            self._pages[session] = page
            self._watched[session] = target.target_id

    def _pause(self, session: str, page: _WatchedPage, asked: _CdpRequest) -> None:
        if page.paused >= MOST_PAUSED:
            self._fail(session, asked)
            return
        page.paused += 1
        task = asyncio.create_task(self._judged(session, page, asked))
        self._at_work.add(task)
        task.add_done_callback(self._at_work.discard)

    async def _judged(self, session: str, page: _WatchedPage, asked: _CdpRequest) -> None:
        request = asked.request
        paused = PausedRequest(
            method=_method_of(request),
            url=request.url,
            kind=asked.resource_type,
            page_url=page.url,
            is_document=asked.resource_type == _DOCUMENT and asked.frame_id == page.target,
        )
        leaves = False
        try:
            leaves = await page.judge.lets_through(paused)
        except Exception:
            log.exception("page.not_judged", url=request.url[:200])
        finally:
            page.paused -= 1
        if leaves:
            self._tell(session, "Fetch.continueRequest", requestId=asked.request_id)
        else:
            self._fail(session, asked)

    def _fail(self, session: str, asked: _CdpRequest) -> None:
        """A page whose next document is given up stays as it is, with what was typed there."""
        reason = "Aborted" if asked.resource_type == _DOCUMENT else "BlockedByClient"
        self._tell(session, "Fetch.failRequest", requestId=asked.request_id, errorReason=reason)

    def _tell(self, session: str, method: str, **params: object) -> None:
        message = {"id": next(self._ids), "sessionId": session, "method": method, "params": params}
        self._say(msgspec.json.encode(message))

    def _answered(self, said: _Message) -> None:
        """Who is gone meanwhile answers with an error."""
        if said.error.message and said.session_id in self._watched:
            log.info("page.not_told", error=said.error.message[:300])


def _method_of(request: _Request) -> str:
    """No page can say this header."""
    wanted = request.headers.get("Access-Control-Request-Method")
    return wanted if request.method == "OPTIONS" and wanted is not None else request.method


def _read(text: bytes | msgspec.Raw, kind: type[T]) -> T:
    """A page's title may hold what is no text; Chromium says it all the same."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.DecodeError:
        return msgspec.json.decode(_NO_TEXT.sub(rb"\\ufffd", bytes(text)), type=kind)
