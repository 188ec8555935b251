"""A server that says exactly what it is told to say, whether or not that is MCP."""

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

_MODERN = "2026-07-28"
_ABLE: dict[str, Any] = {"tools": {}, "prompts": {}, "resources": {}}
_Message = MutableMapping[str, Any]


class Raw:
    """`results` has by method what is answered: a result, or a function of the cursor (None: the first page)
    that gives one. `received` are the parameters of each call of a tool. An `old` one speaks 2025-11-25."""

    def __init__(self, results: dict[str, Any], *, old: bool = False, slow_s: float = 0.0) -> None:
        self.results = results
        self.received: list[dict[str, Any]] = []
        self._version = "2025-11-25" if old else _MODERN
        self.slow_s = slow_s

    def streamable_http_app(self) -> Any:
        """As `addressed` takes it."""
        return self._app

    async def _app(
        self,
        scope: _Message,
        receive: Callable[[], Awaitable[_Message]],
        send: Callable[[_Message], Awaitable[None]],
    ) -> None:
        if scope["type"] != "http":
            return
        asked = json.loads((await receive()).get("body") or b"{}")
        status, answer = 405, b""
        if "id" in asked:
            said = await self._answer(asked["method"], asked.get("params") or {})
            status, answer = 200, json.dumps({"jsonrpc": "2.0", "id": asked["id"], **said}).encode()
        elif asked:
            status = 202
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    async def _answer(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        around = {"ttlMs": 0, "cacheScope": "private"} if self._version == _MODERN else {}
        if method == "server/discover" and self._version == _MODERN:
            said = {"supportedVersions": [_MODERN], "capabilities": _ABLE, "resultType": "complete"}
            return {"result": {**around, **said}}
        if method == "initialize" and self._version != _MODERN:
            named = {"name": "raw", "version": "1"}
            said = {"protocolVersion": self._version, "capabilities": _ABLE, "serverInfo": named}
            return {"result": said}
        if method == "tools/call":
            self.received.append(params)
            return {"result": self.results[method]}
        if method not in self.results:
            return {"error": {"code": -32601, "message": f"no method {method}"}}
        await asyncio.sleep(self.slow_s)  # sleeps: work
        result = self.results[method]
        return {"result": {**around, **(result(params.get("cursor")) if callable(result) else result)}}
