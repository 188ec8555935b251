"""The proxy: judges where each connection leads, and dials the very address that was judged."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import h11
import httpcore
import structlog

from agent_contracts.errors import ErrorKind, Failure, Rejected, Transient
from egress.proxy import limits
from egress.proxy.forwarding import Near, forward
from egress.proxy.refusals import Refusals
from egress.proxy.tunnel import tunnel
from egress.dialing import CheckedDialing
from egress.targets import Target, target_of

log = structlog.get_logger()

_BROKEN = (OSError, httpcore.NetworkError, httpcore.TimeoutException)


class FilteringProxy:
    """Listens on 127.0.0.1, for CONNECT (https and WebSockets) and for plain HTTP."""

    def __init__(self, dialing: CheckedDialing) -> None:
        self._dialing = dialing
        self._connections: set[asyncio.Task[None]] = set()
        self.refusals = Refusals()
        self.port = 0

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one more connection."""
        task = asyncio.create_task(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, to its end. Never raises for what either end does."""
        near = Near(reader, writer)
        try:
            if len(self._connections) > limits.CONNECTIONS:
                await self._refuse(
                    near, Transient(f"more than {limits.CONNECTIONS} connections are open"), 503
                )
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

    async def _serve_one(self, near: Near) -> bool:
        """One request; whether another may follow on the connection."""
        async with asyncio.timeout(limits.HEAD_S):
            request = await near.next_event()
        if not isinstance(request, h11.Request):
            return False
        try:
            target = _target(request)
            far = await self._dial(target)
        except Failure as failure:
            status = {ErrorKind.BLOCKED: 403, ErrorKind.UPSTREAM: 502}.get(ErrorKind(failure.kind), 400)
            await self._refuse(near, failure, status)
            return False
        try:
            if request.method == b"CONNECT":
                await near.send(h11.Response(status_code=200, headers=[], reason=b"Connection established"))
                await tunnel(near.reader, near.writer, far, near.http.trailing_data[0])
                return False
            return await self._forward(near, request, target, far)
        finally:
            with suppress(*_BROKEN):
                await far.aclose()

    async def _forward(
        self, near: Near, request: h11.Request, target: Target, far: httpcore.AsyncNetworkStream
    ) -> bool:
        try:
            await forward(near, request, target, far)
        except (h11.ProtocolError, TimeoutError, *_BROKEN) as error:
            if near.http.our_state is not h11.SEND_RESPONSE:
                return False
            why = (
                "it doesn't speak HTTP properly"
                if isinstance(error, h11.ProtocolError)
                else "it doesn't answer"
            )
            failure = Transient(f"{target.host} at port {target.port}: {why}", kind=ErrorKind.UPSTREAM)
            self.refusals.note(target.host, target.port, failure)
            await self._refuse(near, failure, 502)
            return False
        return near.http.our_state is near.http.their_state is h11.DONE

    async def _dial(self, target: Target) -> httpcore.AsyncNetworkStream:
        try:
            far = await self._dialing.connect_tcp(target.host, target.port)
        except Failure as failure:
            log.info("proxy.refused", host=target.host, port=target.port, kind=failure.kind)
            self.refusals.note(target.host, target.port, failure)
            raise
        self.refusals.forget(target.host, target.port)
        return far

    async def _refuse(self, near: Near, failure: Failure, status: int) -> None:
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


async def _taken(near: Near) -> None:
    """Take what is still being sent, for a moment: closing over it would lose our answer."""
    near.writer.write_eof()
    with suppress(TimeoutError):
        async with asyncio.timeout(limits.LINGER_S):
            while await near.reader.read(limits.CHUNK):
                pass


@asynccontextmanager
async def filtering_proxy(dialing: CheckedDialing) -> AsyncIterator[FilteringProxy]:
    """A running proxy; all its connections end with it."""
    proxy = FilteringProxy(dialing)
    server = await asyncio.start_server(proxy.accept, "127.0.0.1", 0, limit=limits.CHUNK)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        await proxy.close()


def _target(request: h11.Request) -> Target:
    """Where a request leads. `Rejected` as `target_of`, and for what isn't a request to a proxy."""
    asked = request.target.decode("ascii")
    if request.method == b"CONNECT":
        if not asked.rpartition(":")[2].isdecimal():
            raise Rejected("CONNECT names host:port", kind=ErrorKind.INVALID_ARGUMENTS)
        return target_of(f"https://{asked}/")
    if not asked.lower().startswith("http://"):
        raise Rejected("this is a proxy for http and https", kind=ErrorKind.INVALID_ARGUMENTS)
    return target_of(asked)
