"""Request bodies: capped while they arrive, and checked to be JSON that may be stored."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent_contracts.api.problems import Kind
from agent_contracts.errors import Rejected
from agent_contracts.json_reader import JsonLimits, read_json
from gateway.door.incoming_body import IncomingBody
from gateway.http.wire.problems import ProblemError, from_failure, response

READ_SECONDS = 30.0
"""How long a body may take to arrive, and a second more for each `BYTES_PER_SECOND` that came."""
BYTES_PER_SECOND = 64 * 1024
MAX_DEPTH = 100
"""Levels of arrays and objects within each other in a body."""


@dataclass(frozen=True)
class StreamedRoute:
    """Requests by this method to paths such as this one, whose bodies may have `limit` bytes."""

    method: str
    path: re.Pattern[str]
    limit: int

    def takes(self, scope: Scope) -> bool:
        """Whether the request is one of them."""
        return scope["method"] == self.method and self.path.fullmatch(scope["path"]) is not None


class Bodies:
    """ASGI middleware: hands on a body of at most `limit` bytes; answers any other with a problem.

    `limits` are those of the paths that have one of their own. The bodies of those that are `streamed` are
    handed on piece by piece, and are for whoever takes them to check.
    """

    def __init__(
        self, app: ASGIApp, limit: int, limits: Mapping[str, int], streamed: Sequence[StreamedRoute] = ()
    ) -> None:
        self._app = app
        self._limit = limit
        self._limits = limits
        self._streamed = streamed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the query string and the body, then pass the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        incoming = IncomingBody(headers, receive)
        try:
            if b"%00" in scope["query_string"]:
                raise ProblemError(Kind.BAD_TEXT, "The query contains U+0000; remove it")
            for streamed in self._streamed:
                if streamed.takes(scope):
                    _check_declared(headers, streamed.limit)
                    await self._app(scope, _bounded(incoming, streamed.limit), _draining(incoming, send))
                    return
            limit = self._limits.get(scope["path"], self._limit)
            body = await self._read(headers, incoming, limit)
            if body and _is_json(headers.get("content-type", "")):
                read_json(body, JsonLimits(limit, MAX_DEPTH), "the body")
        except Rejected as failure:
            await incoming.drain()
            await response(from_failure(failure))(scope, receive, send)
            return
        except ProblemError as error:
            await incoming.drain()
            await response(error)(scope, receive, send)
            return
        await self._app(scope, _replayed(body, receive), send)

    async def _read(self, headers: Headers, incoming: IncomingBody, limit: int) -> bytes:
        _check_declared(headers, limit)
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(READ_SECONDS) as patience:
                began = asyncio.get_running_loop().time()
                while incoming.more:
                    message = await incoming()
                    if message["type"] == "http.disconnect":
                        raise _closed()
                    chunks.append(message.get("body", b""))
                    size += len(chunks[-1])
                    if size > limit:
                        raise _too_large(limit)
                    patience.reschedule(began + READ_SECONDS + size / BYTES_PER_SECOND)
        except TimeoutError as error:
            raise _too_late(size) from error
        return b"".join(chunks)


def _too_large(limit: int) -> ProblemError:
    return ProblemError(Kind.TOO_LARGE, f"This request's body may have at most {limit} bytes")


def _closed() -> ProblemError:
    return ProblemError(Kind.INVALID_REQUEST, "The connection closed within the body")


def _too_late(size: int) -> ProblemError:
    return ProblemError(
        Kind.REQUEST_TIMEOUT,
        f"The body did not arrive in time: {size} bytes came within {READ_SECONDS:.0f} s and more. "
        "Nothing was done; send the request again",
    )


def _check_declared(headers: Headers, limit: int) -> None:
    declared = headers.get("content-length", "0")
    if declared.isdecimal() and int(declared) > limit:
        raise _too_large(limit)


def _bounded(incoming: IncomingBody, limit: int) -> Receive:
    """The body's pieces, up to so many bytes and as long as they come in time."""
    size = 0
    began = asyncio.get_running_loop().time()

    async def receive() -> Message:
        nonlocal size
        if not incoming.more:
            return await incoming()
        try:
            async with asyncio.timeout_at(began + READ_SECONDS + size / BYTES_PER_SECOND):
                message = await incoming()
        except TimeoutError as error:
            raise _too_late(size) from error
        if message["type"] == "http.disconnect":
            raise _closed()
        size += len(message.get("body", b""))
        if size > limit:
            raise _too_large(limit)
        return message

    return receive


def _draining(incoming: IncomingBody, send: Send) -> Send:
    """Answer once the client has sent what it is sending: it would not see the answer otherwise."""

    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            await incoming.drain()
        await send(message)

    return answer


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def _replayed(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
