"""A server of the SDK at an address of this machine, in a thread: of the newer protocol, or of the older."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_OLD = "2025-11-25"
_UNSUPPORTED = -32600


@dataclass
class Addressed:
    """Where it is, and what it was sent: `headers` of each request, `methods` of each message."""

    port: int
    headers: list[dict[str, str]] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    slow: dict[str, float] = field(default_factory=dict)
    """Seconds that a message of a method waits before the server gets it."""
    status: int = 0
    """Answered to each request instead of what the server would answer, if not 0."""

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}/mcp"


@contextmanager
def addressed(server: MCPServer, *, old: bool = False, port: int = 0) -> Iterator[Addressed]:
    """The running server. An `old` one knows no protocol after 2025-11-25, and keeps sessions."""
    listening = socket.create_server(("127.0.0.1", port))
    here = Addressed(listening.getsockname()[1])
    inner: Any = server.streamable_http_app()

    async def app(scope: Any, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http":
            await inner(scope, receive, send)
            return
        headers = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
        body, more = b"", scope["method"] == "POST"
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        here.headers.append(headers)
        here.methods.append(json.loads(body)["method"] if body else scope["method"])
        await asyncio.sleep(here.slow.get(here.methods[-1], 0))
        if here.status:
            await _answer(send, here.status, b"")
        elif old and headers.get("mcp-protocol-version", _OLD) > _OLD:
            error = {"code": _UNSUPPORTED, "message": "Bad Request: Unsupported protocol version"}
            await _answer(send, 400, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode())
        else:
            await inner(scope, _again(body, receive), send)

    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=0)
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not running.started and thread.is_alive():
            time.sleep(0.01)
        yield here
    finally:
        running.should_exit = True
        thread.join()
        listening.close()


def _again(body: bytes, receive: _Receive) -> _Receive:
    """What was read is there to be read; then what comes."""
    told = False

    async def received() -> _Message:
        nonlocal told
        if told or not body:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return received


async def _answer(send: _Send, status: int, body: bytes) -> None:
    kind = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": status, "headers": kind})
    await send({"type": "http.response.body", "body": body})
