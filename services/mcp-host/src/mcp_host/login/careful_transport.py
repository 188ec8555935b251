"""How authorization servers are asked: by the rules of the way out, encrypted, with bounded answers."""

import re
from urllib.parse import urlsplit

import httpx2
from pydantic_core import from_json

from mcp_host.connecting.http import GuardedTransport, WayOut

LARGEST_ANSWER = 256 * 1024
"""Bytes of metadata, of a registration, or of tokens."""
MOST_REQUESTS = 40
"""Of one login: some places are tried, and each may lead on within its host."""
TIMEOUT_S = 8.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,60}")


class CarefulTransport(httpx2.AsyncBaseTransport):
    """Sends them. `problem` is why the last request got no answer, `error` the code by which the last answer
    refused: the rest of what it said may hold what nobody should read."""

    def __init__(self, way: WayOut, server: str) -> None:
        self._guarded = GuardedTransport(way)
        self._server = server
        self._sent = 0
        self.problem = self.error = ""
        self.status = 0
        self.challenges = False
        """The next request is not sent: it is answered as if its server wanted a login."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """See httpx2."""
        self.problem = self.error = ""
        self.status = 0
        if self.challenges:
            self.challenges = False
            return httpx2.Response(401)
        self._sent += 1
        if self._sent > MOST_REQUESTS:
            raise self._refused("it leads on and on")
        if not is_safe(str(request.url), self._server):
            raise self._refused(f"{request.url.host}: its address must begin with https://")
        request.headers["accept-encoding"] = "identity"  # a few bytes could become very many
        try:
            answer = await self._guarded.handle_async_request(request)
        except httpx2.TransportError as error:
            raise self._refused(str(error)) from error
        if answer.headers.get("content-encoding", "identity") != "identity":
            await answer.aclose()
            raise self._refused(f"{request.url.host}: it answers compressed, which nobody asked for")
        try:
            body = await _bounded(answer)
        except httpx2.StreamError as error:
            raise self._refused(str(error)) from error
        finally:
            await answer.aclose()
        if body is None:
            said = f"{request.url.host}: it sent more than {LARGEST_ANSWER // 1024} KiB where little belongs"
            raise self._refused(said)
        self.status, self.error = answer.status_code, _code_in(body)
        headers = [(name, value) for name, value in answer.headers.raw if name.lower() not in _OF_THE_BODY]
        return httpx2.Response(answer.status_code, headers=headers, content=body)

    async def aclose(self) -> None:
        """See httpx2."""
        await self._guarded.aclose()

    def _refused(self, problem: str) -> httpx2.TransportError:
        self.problem = problem
        return httpx2.TransportError(problem)


_OF_THE_BODY = (b"content-length", b"transfer-encoding")


def is_safe(url: str, server: str) -> bool:
    """Whether a login may pass through there: encrypted, on this machine, or where the server itself is."""
    parts, own = urlsplit(url), urlsplit(server)
    if parts.scheme == "https" or (parts.hostname or "").lower() in _LOOPBACK:
        return parts.scheme in ("http", "https")
    return (parts.scheme, parts.netloc.lower()) == (own.scheme, own.netloc.lower())


async def _bounded(answer: httpx2.Response) -> bytes | None:
    kind = answer.headers.get("content-type", "")
    if kind.startswith("text/event-stream"):
        return b""  # a server that needs no login begins to speak
    body = bytearray()
    async for piece in answer.aiter_raw():
        body += piece
        if len(body) > LARGEST_ANSWER:
            return None
    return bytes(body)


def _code_in(body: bytes) -> str:
    try:
        said = from_json(body)
    except ValueError:
        return ""
    error = said.get("error") if isinstance(said, dict) else None
    return error if isinstance(error, str) and _CODE.fullmatch(error) else ""
