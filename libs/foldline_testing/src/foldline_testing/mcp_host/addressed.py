"""A server at an address of this machine, in a thread: of the newer protocol, or of the older."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import uvicorn

from foldline_testing.mcp_host.authority import Authority

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_OLD = "2025-11-25"
_METADATA = "/.well-known/oauth-protected-resource/mcp"
_LEAVING_S = 0.5
"""The SDK's server tries for six seconds to tell a client that is gone that its question was cancelled."""
_UNSUPPORTED = -32600


class HasApp(Protocol):
    """What is served: a server of the SDK, or one that only looks like one."""

    def streamable_http_app(self) -> Any:
        """Its ASGI application."""
        ...


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
    answers: dict[str, int] = field(default_factory=dict)
    """The status with which a message of a method is answered, whoever sends it; 0: as if anybody might."""
    authority: Authority | None = None
    """Who has to vouch for whoever asks; None: anybody may."""
    resource: str = ""
    """What the server says that it is, to whoever may not ask; empty: the truth."""
    needs: dict[str, str] = field(default_factory=dict)
    """The scope that a tool needs, by its name."""
    untyped: bool = False
    """Its results don't say of which type they are."""

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def metadata_url(self) -> str:
        """Where it says who vouches for people (RFC 9728)."""
        return f"http://127.0.0.1:{self.port}{_METADATA}"

    def refusal(self, headers: Mapping[str, str], message: Mapping[str, Any]) -> tuple[int, str] | None:
        """The status and the challenge for whoever may not ask this; None for whoever may."""
        if self.authority is None:
            return None
        token = headers.get("authorization", "").removeprefix("Bearer ")
        if not self.authority.admits(token, self.url):
            return 401, f'Bearer resource_metadata="{self.metadata_url}"'
        scope = self.needs.get(message.get("params", {}).get("name", ""), "")
        if scope and scope not in self.authority.scope_of(token).split():
            return 403, f'Bearer error="insufficient_scope", scope="{scope}"'
        return None


@contextmanager
def addressed(
    server: HasApp, *, old: bool = False, port: int = 0, authority: Authority | None = None
) -> Iterator[Addressed]:
    """The running server. An `old` one knows no protocol after 2025-11-25, and keeps sessions."""
    listening = socket.create_server(("127.0.0.1", port))
    here = Addressed(listening.getsockname()[1], authority=authority)
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
        if scope["path"] == _METADATA and here.authority is not None:
            said = {"resource": here.resource or here.url, "authorization_servers": [here.authority.issuer]}
            await _answer(send, 200, json.dumps(said).encode())
            return
        here.headers.append(headers)
        here.methods.append(json.loads(body).get("method", "answer") if body else scope["method"])
        await asyncio.sleep(here.slow.get(here.methods[-1], 0))  # sleeps: work
        refused = here.refusal(headers, json.loads(body) if body else {})
        odd = here.answers.get(here.methods[-1])
        if odd:
            await _answer(send, odd, b"")
        elif refused is not None and odd is None:
            await _answer(send, refused[0], b"", (b"www-authenticate", refused[1].encode()))
        elif here.status:
            await _answer(send, here.status, b"")
        elif old and headers.get("mcp-protocol-version", _OLD) > _OLD:
            error = {"code": _UNSUPPORTED, "message": "Bad Request: Unsupported protocol version"}
            await _answer(send, 400, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode())
        else:
            await inner(scope, _again(body, receive), _untyped(send) if here.untyped else send)

    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=0)
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        while not running.started and thread.is_alive():
            time.sleep(0.01)
        yield here
    finally:
        running.should_exit = True
        thread.join(_LEAVING_S)
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


def _untyped(send: _Send) -> _Send:
    """Says a member of another name instead, of the same length."""

    async def sent(message: _Message) -> None:
        body = message.get("body", b"").replace(b'"resultType"', b'"aresultTyp"')
        await send({**message, "body": body} if "body" in message else message)

    return sent


async def _answer(send: _Send, status: int, body: bytes, *headers: tuple[bytes, bytes]) -> None:
    kind = [(b"content-type", b"application/json"), *headers]
    await send({"type": "http.response.start", "status": status, "headers": kind})
    await send({"type": "http.response.body", "body": body})
