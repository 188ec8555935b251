"""Request bodies: capped while they arrive, and checked to be JSON that may be stored."""

import asyncio
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent_contracts.errors import Rejected
from agent_contracts.json_reader import JsonLimits, read_json
from gateway.door.incoming import Incoming
from gateway.http.problems import Kind, ProblemError, from_failure, response

READ_SECONDS = 30.0
"""How long a body may take to arrive, and a second more for each `BYTES_PER_SECOND` that came."""
BYTES_PER_SECOND = 64 * 1024
MAX_DEPTH = 100
"""Levels of arrays and objects within each other in a body."""


class Bodies:
    """ASGI middleware: hands on a body of at most `limit` bytes; answers any other with a problem.

    `limits` are those of the paths that have one of their own.
    """

    def __init__(self, app: ASGIApp, limit: int, limits: Mapping[str, int]) -> None:
        self._app = app
        self._limit = limit
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the query string and the body, then pass the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        incoming = Incoming(headers, receive)
        try:
            if b"%00" in scope["query_string"]:
                raise ProblemError(Kind.BAD_TEXT, "the query contains U+0000; remove it")
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

    async def _read(self, headers: Headers, incoming: Incoming, limit: int) -> bytes:
        declared = headers.get("content-length", "0")
        if declared.isdecimal() and int(declared) > limit:
            raise _too_large(limit)
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(READ_SECONDS) as patience:
                began = asyncio.get_running_loop().time()
                while incoming.more:
                    message = await incoming()
                    if message["type"] == "http.disconnect":
                        raise ProblemError(Kind.INVALID_REQUEST, "the connection closed within the body")
                    chunks.append(message.get("body", b""))
                    size += len(chunks[-1])
                    if size > limit:
                        raise _too_large(limit)
                    patience.reschedule(began + READ_SECONDS + size / BYTES_PER_SECOND)
        except TimeoutError as error:
            raise ProblemError(
                Kind.INVALID_REQUEST,
                f"the body did not arrive in time: {size} bytes came within {READ_SECONDS:.0f} s and more",
            ) from error
        return b"".join(chunks)


def _too_large(limit: int) -> ProblemError:
    return ProblemError(Kind.TOO_LARGE, f"this request's body may have at most {limit} bytes")


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
