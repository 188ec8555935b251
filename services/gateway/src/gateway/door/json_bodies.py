"""Bodies of JSON leave in a form that every reader of lines reads whole, whichever door wrote them."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent_contracts.json_lines import OneLinePieces

_LINES = ("text/event-stream", "application/x-ndjson", "application/jsonl")


class JsonBodies:
    """ASGI middleware. A file's bytes, which are somebody's own, pass as they are."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and the answer with its JSON in one line."""
        await self._app(scope, receive, _Sending(send).send if scope["type"] == "http" else send)


class _Sending:
    """One answer. Its head waits for the first piece of the body: only then its length is known."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._pieces: OneLinePieces | None = None
        self._head: Message | None = None

    async def send(self, message: Message) -> None:
        """Send it, or what it becomes."""
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            if not _is_json(headers):
                await self._send(message)
                return
            self._pieces = OneLinePieces()
            if "content-length" in headers:
                self._head = message
            else:
                await self._send(message)
        elif message["type"] == "http.response.body" and self._pieces is not None:
            await self._body(message, self._pieces)
        else:
            await self._send(message)

    async def _body(self, message: Message, pieces: OneLinePieces) -> None:
        more = message.get("more_body", False)
        before = message.get("body", b"")
        body = pieces.take(before, is_last=not more)
        if self._head is not None:
            headers = MutableHeaders(scope=self._head)
            if more:
                del headers["content-length"]
            elif before:  # the answer to HEAD keeps the length that it tells
                headers["content-length"] = str(len(body))
            await self._send(self._head)
            self._head = None
        await self._send({**message, "body": body})


def _is_json(headers: MutableHeaders) -> bool:
    if headers.get("accept-ranges") == "bytes":
        return False  # a file's content, by its entity tag
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json" or kind.endswith("+json") or kind in _LINES
