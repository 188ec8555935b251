"""The door for MCP clients: streamable HTTP without a session, one request at a time."""

import asyncio
import importlib
from collections import Counter
from typing import Any

import structlog
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gateway.live.streams import Streams
from gateway.mcp.client import McpClient
from gateway.operations.operations import Operations

MOST_AT_ONCE = 32
"""Requests of one client that are in hand at a time: each that waits for an agent holds a connection."""

log = structlog.get_logger()


class McpDoor:
    """ASGI application. Whoever let the request in has put its `McpClient` into `state`.

    Nothing is kept between requests, so any replica answers any. A request that the client leaves is given
    up; what it began in the agent's session goes on.
    """

    def __init__(self, operations: Operations, streams: Streams) -> None:
        self._operations = operations
        self._streams = streams
        self._in_hand: Counter[str] = Counter()
        self._serving: Any = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        client: McpClient = scope["state"]["mcp_client"]
        if scope["method"] != "POST":
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        if self._in_hand[client.name] >= MOST_AT_ONCE:
            headers = {"Retry-After": "1"}
            text = f"At most {MOST_AT_ONCE} requests of one client are answered at a time"
            await Response(text, status_code=429, headers=headers)(scope, receive, send)
            return
        self._in_hand[client.name] += 1
        try:
            await self._answer(client, scope, receive, send)
        finally:
            self._in_hand[client.name] -= 1
            if not self._in_hand[client.name]:
                del self._in_hand[client.name]

    async def _answer(self, client: McpClient, scope: Scope, receive: Receive, send: Send) -> None:
        if self._serving is None:
            # A heavy dependency (a second, 25 MB) that most never need: imported by the first who does.
            self._serving = await asyncio.to_thread(importlib.import_module, "gateway.mcp.serving")
        answering = asyncio.create_task(self._serving.answer(self._operations, client, scope, receive, send))
        self._streams.add(answering)  # so that it ends with the gateway
        try:
            await asyncio.wait((answering,))
        finally:
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)
        if not answering.cancelled():
            answering.result()  # raises what went wrong
