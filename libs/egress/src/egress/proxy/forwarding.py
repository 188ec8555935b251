"""One plain HTTP request and its answer, as they come, no faster than they are taken."""

import asyncio
from contextlib import suppress

import h11
import httpcore

from egress.proxy import limits
from egress.proxy.idle import Idle
from egress.targets import Target

_OF_THE_CONNECTION = frozenset(
    {
        *(b"connection", b"keep-alive", b"proxy-connection", b"proxy-authenticate", b"proxy-authorization"),
        *(b"te", b"trailer", b"transfer-encoding", b"upgrade", b"http2-settings", b"expect"),
    }
)


class Near:
    """The program's end of a connection: h11's side of a server, over asyncio's streams."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.http = h11.Connection(h11.SERVER, max_incomplete_event_size=limits.HEAD)

    async def next_event(self) -> h11.Event | type[h11.PAUSED]:
        """What it says next. `h11.RemoteProtocolError` if that is not HTTP."""
        while (event := self.http.next_event()) is h11.NEED_DATA:
            self.http.receive_data(await self.reader.read(limits.CHUNK))
        return event  # type: ignore[return-value]  # NEED_DATA is over

    async def send(self, event: h11.Event) -> None:
        """Say it, and wait until there is room again."""
        data = self.http.send(event)
        if data:
            self.writer.write(data)
            await self.writer.drain()


async def forward(near: Near, request: h11.Request, target: Target, far: httpcore.AsyncNetworkStream) -> None:
    """Send the request on, and the answer back. Nothing is kept of either.

    `h11.ProtocolError` if the answer isn't HTTP, TimeoutError if nothing happens for `IDLE_S` seconds,
    `OSError` or httpcore's errors where an end breaks; whether anything was answered by then is
    `near.http.our_state`.
    """
    async with Idle(limits.IDLE_S) as idle:
        exchange = _Exchange(near, far, idle)
        sending = asyncio.create_task(exchange.send(request, target))
        try:
            await exchange.answer()
        finally:
            sending.cancel()
            with suppress(asyncio.CancelledError, OSError, httpcore.NetworkError, h11.ProtocolError):
                await sending


class _Exchange:
    """Both ways of one request."""

    def __init__(self, near: Near, far: httpcore.AsyncNetworkStream, idle: Idle) -> None:
        self._near = near
        self._far = far
        self._idle = idle
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=limits.HEAD)

    async def send(self, request: h11.Request, target: Target) -> None:
        headers = [(b"Host", target.authority.encode()), *_end_to_end(request, without=b"host")]
        if _is_chunked(request):
            headers.append((b"Transfer-Encoding", b"chunked"))
        headers.append((b"Connection", b"close"))
        await self._write(h11.Request(method=request.method, target=target.path, headers=headers))
        while True:
            match event := await self._near.next_event():
                case h11.Data(data=data):
                    await self._write(h11.Data(data=bytes(data)))
                case h11.EndOfMessage():
                    await self._write(h11.EndOfMessage())
                    return
                case _:
                    raise h11.RemoteProtocolError(f"{type(event).__name__} within a request")

    async def answer(self) -> None:
        while True:
            event = self._http.next_event()
            match event:
                case h11.InformationalResponse():
                    pass  # of what is to come; browsers do without
                case h11.Response(status_code=status, reason=reason):
                    await self._near.send(
                        h11.Response(status_code=status, headers=_end_to_end(event), reason=reason)
                    )
                case h11.Data(data=data):
                    await self._near.send(h11.Data(data=bytes(data)))
                case h11.EndOfMessage():
                    await self._near.send(h11.EndOfMessage())
                    return
                case h11.NEED_DATA:
                    self._http.receive_data(await self._far.read(limits.CHUNK))
                    self._idle.touch()
                case _:
                    raise h11.RemoteProtocolError("the server closed the connection without an answer")

    async def _write(self, event: h11.Event) -> None:
        self._idle.touch()
        await self._far.write(self._http.send(event) or b"")


def _end_to_end(message: h11.Request | h11.Response, without: bytes = b"") -> list[tuple[bytes, bytes]]:
    named = {
        name.strip().lower()
        for key, value in message.headers
        if key == b"connection"
        for name in value.split(b",")
    }
    dropped = (_OF_THE_CONNECTION | named | {without}) - {b"content-length"}
    if _is_chunked(message):
        dropped |= {b"content-length"}  # a length that nobody goes by is how requests are smuggled
    return [(name, value) for name, value in message.headers.raw_items() if name.lower() not in dropped]


def _is_chunked(message: h11.Request | h11.Response) -> bool:
    return any(name == b"transfer-encoding" for name, _ in message.headers)
