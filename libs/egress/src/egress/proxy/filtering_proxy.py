"""The proxy: judges where each connection leads, and dials the very address that was judged."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import h11
import httpcore
import structlog

from agent_contracts.errors import ErrorKind, Failure, Rejected, Transient
from egress.dialing import CheckedDialing
from egress.proxy import limits
from egress.proxy.forwarding import forward
from egress.proxy.program_connection import ProgramConnection
from egress.proxy.refusals import Refusals
from egress.proxy.requests import TUNNEL, hop_of
from egress.proxy.terms import MeteredRequest, Terms
from egress.proxy.tunnel import tunnel
from egress.redirects import Hop
from egress.request_note import noted

log = structlog.get_logger()

_BROKEN = (OSError, httpcore.NetworkError, httpcore.TimeoutException)
_REFUSED = frozenset(
    {ErrorKind.BLOCKED, ErrorKind.REFUSED, ErrorKind.APPROVAL_NEEDED, ErrorKind.TOO_LARGE, ErrorKind.REJECTED}
)


class FilteringProxy:
    """For CONNECT (https and WebSockets) and for plain HTTP, of one program."""

    def __init__(self, dialing: CheckedDialing, terms: Terms) -> None:
        self._dialing = dialing
        self.terms = terms
        self._connections: set[asyncio.Task[None]] = set()
        self.refusals = Refusals()
        self.port = 0

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one more connection. Beyond what is refused in words, it is closed at once."""
        if len(self._connections) >= limits.REFUSED_TIMES * self.terms.connections:
            writer.transport.abort()
            return
        task = asyncio.create_task(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, to its end. Never raises for what either end does."""
        near = ProgramConnection(reader, writer)
        try:
            if len(self._connections) > self.terms.connections:
                most = f"more than {self.terms.connections} connections are open"
                await self._refuse(near, Transient(most), 503)
                return
            while await self._serve_one(near):
                near.http.start_next_cycle()
        except h11.RemoteProtocolError as error:
            await self._refuse(near, Rejected(str(error), kind=ErrorKind.INVALID_ARGUMENTS), 400)
        except (TimeoutError, *_BROKEN):
            pass  # it was idle for long, or an end went away: there is nobody to tell
        finally:
            writer.transport.abort() if near.http.our_state is h11.SEND_BODY else writer.close()

    @property
    def open_connections(self) -> int:
        """How many there are."""
        return len(self._connections)

    async def close(self) -> None:
        """End what is open."""
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve_one(self, near: ProgramConnection) -> bool:
        """One request; whether another may follow on the connection."""
        async with asyncio.timeout(limits.HEAD_S):
            request = await near.next_event()
        if not isinstance(request, h11.Request):
            return False
        try:
            hop = hop_of(request)
            with noted(hop, (), self.terms.note) as one:
                metered = MeteredRequest(one, self.terms.allowance)
                far = await self._dial(hop)
                try:
                    return await self._carried(near, request, hop, far, metered)
                finally:
                    with suppress(*_BROKEN):
                        await far.aclose()
        except Failure as failure:
            await self._refuse(near, failure, _status_of(failure))
            return False

    async def _carried(
        self,
        near: ProgramConnection,
        request: h11.Request,
        hop: Hop,
        far: httpcore.AsyncNetworkStream,
        metered: MeteredRequest,
    ) -> bool:
        if hop.request.method == TUNNEL:
            await near.send(h11.Response(status_code=200, headers=[], reason=b"Connection established"))
            metered.noted.leaves(hop, 0)
            await tunnel(near, far, metered)
            return False
        try:
            await forward(near, request, hop, far, metered)
        except (h11.ProtocolError, TimeoutError, *_BROKEN) as error:
            if near.http.our_state is not h11.SEND_RESPONSE:
                return False
            why = (
                "it doesn't speak HTTP properly"
                if isinstance(error, h11.ProtocolError)
                else "it doesn't answer"
            )
            target = hop.target
            failure = Transient(f"{target.host} at port {target.port}: {why}", kind=ErrorKind.UPSTREAM)
            self.refusals.note(target.host, target.port, failure)
            raise failure from error
        return near.http.our_state is near.http.their_state is h11.DONE

    async def _dial(self, hop: Hop) -> httpcore.AsyncNetworkStream:
        """A connection to where the request leads. No name is looked up for what may not leave: a name tells
        something, too."""
        host, port = hop.target.host, hop.target.port
        try:
            self._dialing.require_thinkable(host, port)
        except Rejected as refused:
            raise self._unreachable(host, port, refused) from None
        if self.terms.gate is not None:
            await self.terms.gate.check(hop, hop.target)
        self.terms.allowance.require_some()
        try:
            far = await self._dialing.connect_tcp(host, port)
        except Failure as failure:
            raise self._unreachable(host, port, failure) from None
        self.refusals.forget(host, port)
        return far

    def _unreachable(self, host: str, port: int, failure: Failure) -> Failure:
        log.info("proxy.refused", host=host, port=port, kind=failure.kind)
        self.refusals.note(host, port, failure)
        return failure

    async def _refuse(self, near: ProgramConnection, failure: Failure, status: int) -> None:
        """An answer of our own, if nothing was answered yet."""
        if near.http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        body = f"{failure.message}\n".encode()
        headers = [
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
            ("Connection", "close"),
        ]
        with suppress(h11.LocalProtocolError, *_BROKEN):
            await near.send(h11.Response(status_code=status, headers=headers))
            await near.send(h11.Data(data=body))
            await near.send(h11.EndOfMessage())
            await _taken(near)


def _status_of(failure: Failure) -> int:
    if failure.kind in _REFUSED:
        return 403
    if failure.kind == ErrorKind.INVALID_ARGUMENTS:
        return 400
    return 502 if failure.kind == ErrorKind.UPSTREAM else 503


async def _taken(near: ProgramConnection) -> None:
    """Take what is still being sent, for a moment: closing over it would lose our answer."""
    near.writer.write_eof()
    with suppress(TimeoutError):
        async with asyncio.timeout(limits.LINGER_S):
            while await near.reader.read(limits.CHUNK):
                pass


@asynccontextmanager
async def filtering_proxy(
    dialing: CheckedDialing, terms: Terms | None = None, door: socket.socket | None = None
) -> AsyncIterator[FilteringProxy]:
    """A running proxy, on a listening socket that is its own then, or on a port of 127.0.0.1. All its
    connections end with it."""
    proxy = FilteringProxy(dialing, terms or Terms())
    server = await asyncio.start_server(
        proxy.accept, sock=door or socket.create_server(("127.0.0.1", 0)), limit=limits.CHUNK
    )
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        await proxy.close()
