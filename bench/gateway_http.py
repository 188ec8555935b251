"""The gateway over bare sockets: an HTTP library's own time would be as long as what is measured."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any, Self

import msgspec

_PATIENCE_S = 30.0


class Arrival(msgspec.Struct, frozen=True):
    """A server-sent event: when its last byte was read (`time.perf_counter`), what it is called, its data."""

    at: float
    name: str
    data: bytes


class Address(msgspec.Struct, frozen=True):
    """Where the gateway is."""

    host: str
    port: int
    token: str

    @classmethod
    def of(cls, url: str, token: str) -> Self:
        """From `http://host:port`."""
        host, _, port = url.removeprefix("http://").rpartition(":")
        return cls(host, int(port), token)

    def head(self, method: str, path: str, version: str, *more: str) -> bytes:
        """A request's head."""
        lines = [
            f"{method} /api/v1{path} HTTP/{version}",
            f"Host: {self.host}:{self.port}",
            f"Authorization: Bearer {self.token}",
            *more,
        ]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()


class Poster:
    """One connection that is kept for requests, one after another."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._lock = asyncio.Lock()
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: Any) -> Any:
        """The answer's JSON. RuntimeError for anything but success."""
        data = msgspec.json.encode(body)
        head = self._address.head(
            "POST", path, "1.1", "Content-Type: application/json", f"Content-Length: {len(data)}"
        )
        async with self._lock, asyncio.timeout(_PATIENCE_S):
            if self._streams is None:
                self._streams = await asyncio.open_connection(self._address.host, self._address.port)
            reader, writer = self._streams
            writer.write(head + data)
            said = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = int(said.partition("content-length:")[2].split("\r\n", 1)[0])
            answer = await reader.readexactly(length)
        if not said.startswith("http/1.1 2"):
            raise RuntimeError(f"POST {path}: {said.splitlines()[0]} {answer.decode()}")
        return msgspec.json.decode(answer)

    def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            self._streams[1].close()


async def arrivals(address: Address, path: str) -> AsyncIterator[Arrival]:
    """Server-sent events until the stream ends."""
    reader, writer = await asyncio.open_connection(address.host, address.port, limit=16 * 1024 * 1024)
    try:
        writer.write(address.head("GET", path, "1.0", "Accept: text/event-stream"))  # 1.0: no chunks
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in head.split(b"\r\n", 1)[0]:
            raise RuntimeError(f"GET {path}: {head.decode()}")
        name, data = "", b""
        while line := await reader.readline():
            line = line.rstrip(b"\r\n")
            if line.startswith(b"event: "):
                name = line[7:].decode()
            elif line.startswith(b"data: "):
                data = line[6:]
            elif not line:
                if name:
                    yield Arrival(time.perf_counter(), name, data)
                name, data = "", b""
    finally:
        writer.close()
