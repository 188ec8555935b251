"""The door for MCP clients: streamable HTTP, one request at a time."""

import asyncio
import importlib
import re
from collections import Counter
from typing import Any

import msgspec
import structlog
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from gateway.live.client_answers import ClientAnswers
from gateway.live.streams import Streams
from gateway.mcp.client import McpClient
from gateway.operations.operations import Operations

MOST_AT_ONCE = 32
"""Requests of one client that are in hand at a time: each that waits for an agent holds a connection."""
LARGEST_MESSAGE = 1024 * 1024
LARGEST_ANSWER = 256 * 1024
"""Bytes."""
_QUESTION = re.compile(r"q[A-Za-z0-9_-]{24}")

log = structlog.get_logger()


class _ClientResponse(msgspec.Struct, frozen=True):
    """A JSON-RPC response: what a client sends that was asked something in the middle of its call."""

    id: str | int
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    method: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class McpDoor:
    """ASGI application. Whoever let the request in has put its `McpClient` into `state`.

    Nothing is kept between requests, so any replica answers any. A request that the client leaves is given
    up; what it began in the agent's session goes on. An answer to a question goes to whoever asked.
    """

    def __init__(self, operations: Operations, streams: Streams, answers: ClientAnswers) -> None:
        self._operations = operations
        self._streams = streams
        self._answers = answers
        self._in_hand: Counter[str] = Counter()
        self._serving: Any = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        client: McpClient = scope["state"]["mcp_client"]
        if scope["method"] != "POST":
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        body = await _body(receive)
        question = _answered(body)
        if len(body) > (LARGEST_MESSAGE if question is None else LARGEST_ANSWER):
            await Response("The message is too large", status_code=413)(scope, receive, send)
            return
        if question is not None:
            if _QUESTION.fullmatch(question):
                await self._answers.bring(client.name, question, body)
            await Response(status_code=202)(scope, receive, send)
            return
        if self._in_hand[client.name] >= MOST_AT_ONCE:
            headers = {"Retry-After": "1"}
            text = f"At most {MOST_AT_ONCE} requests of one client are answered at a time"
            await Response(text, status_code=429, headers=headers)(scope, receive, send)
            return
        self._in_hand[client.name] += 1
        try:
            await self._answer(client, body, scope, receive, send)
        finally:
            self._in_hand[client.name] -= 1
            if not self._in_hand[client.name]:
                del self._in_hand[client.name]

    async def _answer(
        self, client: McpClient, body: bytes, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if self._serving is None:
            # A heavy dependency (a second, 25 MB) that most never need: imported by the first who does.
            self._serving = await asyncio.to_thread(importlib.import_module, "gateway.mcp.serving")
        asking = self._serving.ClientElicitation(client, self._answers)
        request = (scope, _again(body, receive), send)
        answering = asyncio.create_task(
            self._serving.answer(self._operations, client, asking, body, *request)
        )
        self._streams.add(answering)  # so that it ends with the gateway
        try:
            await asyncio.wait((answering,))
        finally:
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)
        if not answering.cancelled():
            answering.result()  # raises what went wrong


async def _body(receive: Receive) -> bytes:
    """All of it, or as much as shows that it is too large."""
    body = b""
    while len(body) <= LARGEST_MESSAGE:
        message = await receive()
        body += message.get("body", b"")
        if message["type"] != "http.request" or not message.get("more_body", False):
            break
    return body


def _again(body: bytes, receive: Receive) -> Receive:
    """The body once more, then what follows it: that the client left."""
    left = [body]

    async def received() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return received


def _answered(body: bytes) -> str | None:
    """The id of the question that this answers; None for a request, or what is none."""
    try:
        answer = msgspec.json.decode(body, type=_ClientResponse)
    except msgspec.DecodeError:
        return None
    is_answer = answer.method is msgspec.UNSET and not (
        answer.result is msgspec.UNSET and answer.error is msgspec.UNSET
    )
    return str(answer.id) if is_answer else None
