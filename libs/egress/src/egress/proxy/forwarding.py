"""One plain HTTP request and its answer, as they come, no faster than they are taken."""

import asyncio
from contextlib import suppress

import h11
import httpcore

from agent_contracts.errors import Rejected
from egress.proxy import limits
from egress.proxy.idle_timeout import IdleTimeout
from egress.proxy.program_connection import ProgramConnection
from egress.proxy.requests import end_to_end, is_chunked
from egress.proxy.terms import MeteredRequest
from egress.redirects import Hop


async def forward(
    near: ProgramConnection,
    request: h11.Request,
    hop: Hop,
    far: httpcore.AsyncNetworkStream,
    metered: MeteredRequest,
) -> None:
    """Send the request on, and the answer back. Nothing is kept of either.

    `h11.ProtocolError` if the answer isn't HTTP, TimeoutError if nothing happens for `IDLE_S` seconds,
    `OSError` or httpcore's errors where an end breaks, `Rejected` where the allowance is used up; whether
    anything was answered by then is `near.http.our_state`.
    """
    async with IdleTimeout(limits.IDLE_S) as idle:
        exchange = _Exchange(near, far, idle, metered)
        sending = asyncio.create_task(exchange.send(request, hop))
        answering = asyncio.create_task(exchange.answer())
        try:
            await asyncio.wait({sending, answering}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done() and isinstance(sending.exception(), Rejected):
                sending.result()
            await answering
        finally:
            for one in (sending, answering):
                one.cancel()
                with suppress(
                    asyncio.CancelledError, OSError, httpcore.NetworkError, h11.ProtocolError, Rejected
                ):
                    await one


class _Exchange:
    """Both ways of one request."""

    def __init__(
        self,
        near: ProgramConnection,
        far: httpcore.AsyncNetworkStream,
        idle: IdleTimeout,
        metered: MeteredRequest,
    ) -> None:
        self._near = near
        self._far = far
        self._idle = idle
        self._metered = metered
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=limits.HEAD)

    async def send(self, request: h11.Request, hop: Hop) -> None:
        target = hop.target
        headers = [(b"Host", target.authority.encode()), *end_to_end(request, without=b"host")]
        if is_chunked(request):
            headers.append((b"Transfer-Encoding", b"chunked"))
        headers.append((b"Connection", b"close"))
        self._metered.noted.leaves(hop, 0)
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
                    self._metered.noted.status = status
                    await self._near.send(
                        h11.Response(status_code=status, headers=end_to_end(event), reason=reason)
                    )
                case h11.Data(data=data):
                    await self._near.send(h11.Data(data=bytes(data)))
                case h11.EndOfMessage():
                    await self._near.send(h11.EndOfMessage())
                    return
                case h11.NEED_DATA:
                    data = await self._far.read(limits.CHUNK)
                    self._metered.come(len(data))
                    self._http.receive_data(data)
                    self._idle.touch()
                case _:
                    raise h11.RemoteProtocolError("the server closed the connection without an answer")

    async def _write(self, event: h11.Event) -> None:
        data = self._http.send(event) or b""
        self._metered.out(len(data))
        self._idle.touch()
        await self._far.write(data)
