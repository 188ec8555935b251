"""A server at an address: HTTP by the rules of the way out, answers bounded."""

import ssl
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Protocol
from urllib.parse import urlsplit

import httpcore2
import httpx2
import msgspec
from mcp.client import Transport
from mcp.client.streamable_http import MCP_SESSION_ID, streamable_http_client
from mcp_types import CONNECTION_CLOSED

from agent_contracts.entities.mcp_servers import Http, McpServer
from agent_contracts.errors import ErrorKind, Rejected, Transient
from agent_contracts.ids import AgentId
from egress.dialing import Resolver, allowed_addresses
from egress.rules import EgressRules
from mcp_host import limits
from mcp_host.connecting.connection_notes import ConnectionNotes

_CONNECT_S, _READ_S = 10.0, limits.HELD_S + 60.0
"""Nothing comes on a stream while a person is asked; calls have a time of their own."""
_EVENTS = "text/event-stream"
_BAD, _UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND = 400, 401, 403, 404
_TOO_LITTLE = b"insufficient_scope"
"""How a server says that a login allows too little (RFC 6750)."""


class WayOut(msgspec.Struct, frozen=True):
    """By which rules servers are reached."""

    rules: EgressRules
    resolver: Resolver
    tls: ssl.SSLContext | None = None

    def towards(self, server: McpServer, address: Http) -> "WayOut":
        """The way to this server, and to whoever vouches for people there."""
        return self.opened_for(address.url) if server.private else self

    def opened_for(self, url: str) -> "WayOut":
        """The same, for which this one host may be a private one: a person said so, of one server."""
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        hosts = self.rules.private_hosts | {f"{(parts.hostname or '').lower()}:{port}"}
        return msgspec.structs.replace(self, rules=msgspec.structs.replace(self.rules, private_hosts=hosts))

    async def check(self, url: str) -> None:
        """`Rejected(kind="blocked")` where it may not be reached, `Transient` where nobody knows the name."""
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        await allowed_addresses(self.rules, self.resolver, parts.hostname or "", port)


class Credentials(httpx2.Auth):
    """What is put before each request. `issuer` is where a person logged in (empty: nobody did), `tokens`
    what the server was sent of it and may repeat."""

    issuer: str = ""
    tokens: tuple[str, ...] = ()


class AgentLogins(Protocol):
    """Who knows how an agent logs in at a server."""

    def credentials(self, agent_id: AgentId, server: str, address: Http, way: WayOut) -> Credentials:
        """Of this server. Whoever gives them gets there by this way."""
        ...


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Sends by the rules. `unauthorized` is the status by which the server wanted a login, or one that allows
    more (0: it didn't, or took a request since; what the SDK tries then may fail otherwise); `forgotten` once
    it didn't know our session any more; `last_failure` is why the last request got no answer; `has_answered`
    once any did."""

    def __init__(self, way: WayOut, noting: ConnectionNotes | None = None) -> None:
        self._noting = noting
        self._pool = httpcore2.AsyncConnectionPool(way.tls, network_backend=_Dialing(way))
        self.unauthorized = 0
        self._refused: httpx2.Request | None = None
        self.forgotten = False
        self.last_failure = ""
        self.last_status = 0
        self.has_answered = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """See httpx2."""
        assert isinstance(request.stream, httpx2.AsyncByteStream)
        asked = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        try:
            answer = await self._pool.handle_async_request(asked)
        except (httpcore2.NetworkError, httpcore2.TimeoutException, httpcore2.ProtocolError) as error:
            self._failed(request, error)
            self.last_failure = f"{request.url.host}: {str(error) or type(error).__name__}"
            raise httpx2.TransportError(self.last_failure) from error
        except (Rejected, Transient) as error:
            self._failed(request, error)
            self.last_failure = error.message
            raise httpx2.TransportError(error.message) from error
        if self._noting is not None:
            self._noting.answered(request, answer)
        self.last_failure = ""
        self.last_status = answer.status
        self.has_answered = self.has_answered or answer.status < _BAD
        if answer.status == _UNAUTHORIZED or (
            answer.status == _FORBIDDEN and _TOO_LITTLE in _header(answer, b"www-authenticate")
        ):
            self.unauthorized, self._refused = answer.status, request
        elif answer.status < _BAD and request is self._refused:
            self.unauthorized = 0  # sent again with a fresh token; others' answers say nothing of it
        if answer.status == _NOT_FOUND and request.method == "POST" and MCP_SESSION_ID in request.headers:
            self.forgotten = True
        most = (
            None
            if _header(answer, b"content-type").lower().startswith(_EVENTS.encode())
            else limits.MESSAGE_BYTES
        )
        return httpx2.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Bounded(answer, most),
            extensions=answer.extensions,
        )

    def _failed(self, request: httpx2.Request, why: Exception) -> None:
        if self._noting is not None:
            self._noting.failed(request, why)

    async def aclose(self) -> None:
        """See httpx2."""
        await self._pool.aclose()


class _Client(httpx2.AsyncClient):
    """Of a request that got no answer, or could not be sent, it tells as an answer: raised, that would end
    every other call of the connection."""

    def __init__(self, guarded: GuardedTransport, headers: Mapping[str, str], auth: httpx2.Auth) -> None:
        timeout = httpx2.Timeout(_CONNECT_S, read=_READ_S)
        super().__init__(
            transport=guarded, headers=dict(headers), timeout=timeout, auth=auth, trust_env=False
        )
        self._guarded = guarded

    async def send(self, request: httpx2.Request, **more: Any) -> httpx2.Response:
        """See httpx2."""
        try:
            return await super().send(request, **more)
        except httpx2.TransportError as error:
            if not (self._guarded.has_answered and _is_message(request)):
                raise
            lost = {"code": CONNECTION_CLOSED, "message": str(error)}
            return httpx2.Response(502, json={"jsonrpc": "2.0", "id": None, "error": lost}, request=request)


def _is_message(request: httpx2.Request) -> bool:
    """Whether it is one of the protocol, and not one by which a person logs in."""
    return request.method == "POST" and _EVENTS in request.headers.get("accept", "")


def _header(answer: httpcore2.Response, wanted: bytes) -> bytes:
    return next((value for name, value in answer.headers if name.lower() == wanted), b"")


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, answer: httpcore2.Response, most: int | None) -> None:
        self._answer = answer
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        taken = 0
        try:
            async for piece in self._answer.aiter_stream():
                taken += len(piece)
                if self._most is not None and taken > self._most:
                    raise httpx2.StreamError(
                        f"it sent a message of more than {self._most // limits.MIB} MiB, which was left"
                    )
                yield piece
        except (httpcore2.NetworkError, httpcore2.TimeoutException, httpcore2.ProtocolError) as error:
            raise httpx2.StreamError(f"it broke off: {str(error) or type(error).__name__}") from error

    async def aclose(self) -> None:
        await self._answer.aclose()


class _Dialing(httpcore2.AsyncNetworkBackend):
    """Dials the addresses that the rules allow, and no others."""

    def __init__(self, way: WayOut) -> None:
        self._way = way
        self._network = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        failure: Exception = Transient(f"{host} has no address", kind=ErrorKind.UPSTREAM)
        for address in await allowed_addresses(self._way.rules, self._way.resolver, host, port):
            try:
                return await self._network.connect_tcp(
                    str(address), port, min(timeout or _CONNECT_S, _CONNECT_S), local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore2.AsyncNetworkStream:
        raise Rejected("no request goes to a Unix socket", kind=ErrorKind.BLOCKED)

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)


@asynccontextmanager
async def over_http(
    url: str, headers: Mapping[str, str], guarded: GuardedTransport, auth: httpx2.Auth
) -> AsyncIterator[Transport]:
    """The transport to an address. `headers` hold no placeholders any more."""
    async with _Client(guarded, headers, auth) as client:
        yield streamable_http_client(url, http_client=client, max_sse_event_size=limits.MESSAGE_BYTES)
