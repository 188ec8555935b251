"""A request's body on its way in: whether more is to come, and how to be rid of it."""

import asyncio

from starlette.datastructures import Headers
from starlette.types import Message, Receive

_DRAIN_BYTES = 64 * 1024 * 1024
_DRAIN_SECONDS = 5.0


class IncomingBody:
    """Wraps an ASGI `receive`, remembering whether the body has ended."""

    def __init__(self, headers: Headers, receive: Receive) -> None:
        self._receive = receive
        self._asks_first = headers.get("expect", "").lower() == "100-continue"
        self.more = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers

    async def __call__(self) -> Message:
        """The next message; afterwards `more` says whether the body goes on."""
        message = await self._receive()
        self.more = message["type"] == "http.request" and message.get("more_body", False)
        return message

    async def drain(self) -> None:
        """Read and drop the rest: a client that is still sending would not see an early answer otherwise.

        Up to 64 MiB and 5 s; a client beyond that gets the answer and a closed connection.
        """
        if self._asks_first:
            return
        dropped = 0
        try:
            async with asyncio.timeout(_DRAIN_SECONDS):
                while self.more and dropped < _DRAIN_BYTES:
                    dropped += len((await self()).get("body", b""))
        except TimeoutError:
            return
