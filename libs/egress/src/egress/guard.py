"""The guard itself: one request out and its answer back, by the rules."""

import asyncio
import ssl
import time
from collections.abc import Mapping, Sequence
from typing import BinaryIO, Protocol, Self

import httpcore
import structlog

from agent_contracts.errors import ErrorKind, Permanent, Rejected, Transient
from egress.decoding import ACCEPTED, BoundedDecoding
from egress.dialing import CheckedDialing, Resolver
from egress.fetching import SAFE_METHODS, FetchRequest, FetchResponse, checked
from egress.placeholders import KnownSecret, filled, redaction_of, require_kept
from egress.pools import Pools
from egress.proxies.clients import authorities
from egress.proxies.proxies import DIRECTLY, ProxyRules
from egress.redaction import Redaction
from egress.redirects import MOST, Hop, is_redirect, next_hop
from egress.request_note import Note, RawHeaders, RequestNote, noted, size_of
from egress.rules import EgressRules
from egress.targets import RequestTarget, target_of

log = structlog.get_logger()

_CONNECT_S = 10.0
_AGENT = "Foldline"
_FAILED = (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError, httpcore.ProxyError)


class EgressGate(Protocol):
    """Who says whether a request may leave."""

    async def check(self, hop: Hop, first: RequestTarget) -> None:
        """Raises where it may not. `first` is where the caller wanted to go: redirects led to this hop."""
        ...


class Egress:
    """Fetches. Nothing lives on between requests: neither connections nor cookies."""

    def __init__(
        self,
        rules: EgressRules,
        resolver: Resolver,
        tls: ssl.SSLContext | None = None,
        note: Note | None = None,
        proxies: ProxyRules = DIRECTLY,
    ) -> None:
        """`tls` is whom to trust; by default, whom the machine or certifi trusts (`SSL_CERT_FILE` counts).
        `note` is told of each request, a redirect too, once it is over. `proxies` are those that requests go
        through: without any, all go directly."""
        self._rules = rules
        self._resolver = resolver
        self._given_tls = tls
        self._note = note
        self._proxies = proxies

    def noted(self, note: Note) -> "Egress":
        """The same, which tells another of each request."""
        return Egress(self._rules, self._resolver, self._given_tls, note, self._proxies)

    async def fetch(
        self, request: FetchRequest, secrets: Sequence[KnownSecret] = (), gate: EgressGate | None = None
    ) -> FetchResponse:
        """The answer, whatever its status, after at most 5 redirects.

        Placeholders of `secrets` are filled in for hosts that may have them. Their values go to no other
        host, and are taken out of the answer, wherever they came from. Before anything leaves, `gate` lets
        the request pass, or a redirect of it, or raises.

        Raises `Rejected`: `invalid_arguments` for what can't be sent, `blocked` for where it may not go;
        `Transient(kind="upstream")` where nobody answers properly, if a repeat does no harm;
        `Permanent(kind="timeout")` likewise; `Permanent(kind="outcome_unknown")` where the request may have
        acted at the other end.
        """
        request = checked(request)
        hop = Hop(target_of(request.url), request)
        progress = _RequestProgress()
        began = time.perf_counter()
        try:
            async with asyncio.timeout(request.timeout_s):
                response = await self._follow(hop, secrets, progress, gate)
        except TimeoutError as error:
            message = f"{progress.host} took longer than {request.timeout_s:g} seconds"
            progress.raise_if_it_may_have_acted(message, error)
            raise Permanent(message, kind=ErrorKind.TIMEOUT) from error
        except _FAILED as error:
            if isinstance(error, httpcore.LocalProtocolError):
                raise Rejected("HTTP can't express that request", kind=ErrorKind.INVALID_ARGUMENTS) from error
            message = f"{progress.host}: {_reason(error)}"
            progress.raise_if_it_may_have_acted(message, error)
            raise Transient(message, kind=ErrorKind.UPSTREAM) from error
        log.info(
            "egress.fetched",
            host=progress.host,
            method=request.method,
            status=response.status,
            bytes=len(response.body) if request.into is None else request.into.tell(),
            ms=round((time.perf_counter() - began) * 1000),
        )
        return response

    async def _follow(
        self, hop: Hop, secrets: Sequence[KnownSecret], progress: "_RequestProgress", gate: EgressGate | None
    ) -> FetchResponse:
        dialing = CheckedDialing(self._rules, self._resolver)
        redaction = redaction_of(secrets)
        first = hop.target
        async with Pools(self._tls, dialing, self._proxies) as pools:
            for _ in range(MOST + 1):
                safe = hop.target.scheme == "https" or self._rules.opens(hop.target.host, hop.target.port)
                with noted(hop, secrets, self._note) as one:
                    if gate is not None:
                        await gate.check(hop, first)
                    whole = filled(hop, secrets, safe=safe)
                    require_kept(whole, secrets, safe=safe)
                    pool = await pools.towards(whole.target)
                    response = await self._send(pool, whole, redaction, progress.of(one))
                if not is_redirect(response.status, response.headers):
                    return response
                hop = next_hop(hop, response.status, response.headers["location"])
        raise Rejected(f"more than {MOST} redirects", kind=ErrorKind.UPSTREAM)

    async def _send(
        self, pool: httpcore.AsyncConnectionPool, hop: Hop, redaction: Redaction, progress: "_RequestProgress"
    ) -> FetchResponse:
        """The answer without what is secret; a redirect as it is, since it is to be followed."""
        request, headers_out = hop.request, _headers(hop)
        progress.begin(hop, headers_out)
        async with pool.stream(
            request.method,
            _address(hop.target),
            headers=headers_out,
            content=request.body,
            extensions={"timeout": {"connect": _CONNECT_S, "pool": _CONNECT_S}, "trace": progress.trace},
        ) as response:
            headers = _lowered(response.headers)
            progress.noted.answered(response.status, response.headers)
            if is_redirect(response.status, headers):
                return FetchResponse(response.status, headers, b"", "", False)
            headers = {redaction.header(name): redaction.header(text) for name, text in headers.items()}
            bodiless = request.method == "HEAD" or response.status in (204, 304)
            decoding = BoundedDecoding("" if bodiless else headers.get("content-encoding", ""), request.limit)
            into = request.into if 200 <= response.status < 300 else None
            stream = redaction.stream()
            async for chunk in response.aiter_stream():
                progress.noted.received(len(chunk))
                decoding.feed(chunk)
                if into is not None:
                    _write(into, stream.feed(decoding.take()))
                if decoding.is_full:
                    break
            body = decoding.body()
            if into is None:
                body = redaction.body(body, truncated=decoding.is_full)
            else:
                _write(into, stream.feed(body) + stream.end(truncated=decoding.is_full))
                body = b""
            return FetchResponse(
                response.status, headers, body, redaction.text(hop.target.url), truncated=decoding.is_full
            )

    @property
    def _tls(self) -> ssl.SSLContext:
        return self._given_tls or authorities()


class _RequestProgress:
    """How far a request came: whom it is talking to, and whether anything was sent there."""

    def __init__(self) -> None:
        self.host = ""
        self.noted: RequestNote
        self._hop: Hop
        self._acts = False
        self._sent = False
        self._size = 0

    def of(self, noted: RequestNote) -> Self:
        self.noted = noted
        return self

    def begin(self, hop: Hop, headers: RawHeaders) -> None:
        self.host = hop.target.host
        self._acts = self._acts or hop.request.method not in SAFE_METHODS
        self._hop, self._size = hop, size_of(hop, headers)

    async def trace(self, event: str, told: Mapping[str, object]) -> None:
        if event == "http11.send_request_headers.started" and not _is_to_proxy(told.get("request")):
            self._sent = True
            self.noted.leaves(self._hop, self._size)

    def raise_if_it_may_have_acted(self, message: str, error: Exception) -> None:
        if self._acts and self._sent:
            raise Permanent(
                f"{message}; the request was sent, and it may or may not have taken effect",
                kind=ErrorKind.OUTCOME_UNKNOWN,
            ) from error


def _is_to_proxy(request: object) -> bool:
    return isinstance(request, httpcore.Request) and request.method == b"CONNECT"


def _write(into: BinaryIO, data: bytes) -> None:
    try:
        into.write(data)
    except OSError as error:
        raise Transient(
            f"there is no room for what was fetched: {error.strerror}", kind=ErrorKind.INTERNAL
        ) from error


def _address(target: RequestTarget) -> httpcore.URL:
    return httpcore.URL(
        scheme=target.scheme.encode(),
        host=target.host.encode(),
        port=target.port,
        target=target.path.encode(),
    )


def _headers(hop: Hop) -> RawHeaders:
    request = hop.request
    given = dict(request.headers)
    defaults = {"user-agent": _AGENT, "accept": "*/*"}
    headers = [("host", hop.target.authority), ("accept-encoding", ACCEPTED)]
    headers += [(name, value) for name, value in defaults.items() if name not in given]
    headers += request.headers
    if request.body is not None or request.method in ("POST", "PUT", "PATCH"):
        headers.append(("content-length", str(len(request.body or b""))))
    return [(name.encode(), value.encode()) for name, value in headers]


def _lowered(raw: RawHeaders) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


def _reason(error: Exception) -> str:
    match error:
        case httpcore.ProxyError():
            return f"the proxy gives no connection ({error})"
        case httpcore.TimeoutException():
            return "it doesn't answer"
        case httpcore.ConnectError():
            return f"no secure connection could be made ({error})" if str(error) else "it can't be reached"
        case httpcore.RemoteProtocolError():
            return "it doesn't speak HTTP properly"
        case _:
            return "the connection broke"
