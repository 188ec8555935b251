"""For tests of what goes out: servers on this machine, found under whatever names a test gives them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from egress.guard import Egress
from egress.rules import EgressRules


@dataclass
class FixedNames:
    """A resolver that knows these names."""

    names: dict[str, list[str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def addresses(self, host: str) -> Sequence[str]:
        """See `Resolver`."""
        self.asked.append(host)
        if host not in self.names:
            raise OSError("no such name")
        return self.names[host]


@dataclass
class LocalServer:
    """An HTTP/1.1 server that answers raw bytes, one request a connection, and keeps what it was sent."""

    port: int = 0
    seen: list[str] = field(default_factory=list)

    def url(self, host: str, path: str = "/") -> str:
        """Its address under a name."""
        return f"http://{host}:{self.port}{path}"


@asynccontextmanager
async def local_server(answer: Callable[[str], bytes]) -> AsyncIterator[LocalServer]:
    """A running server; `answer` gets a request's head and body as text, byte for character."""
    local = LocalServer()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):  # the client may have seen enough
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            lengths = [line[15:] for line in head.lower().splitlines() if line.startswith("content-length:")]
            request = head + (await reader.readexactly(int((lengths or ["0"])[0]))).decode("latin-1")
            local.seen.append(request)
            writer.write(answer(request))
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        local.port = server.sockets[0].getsockname()[1]
        yield local


def egress_to(*hosts: str) -> Egress:
    """A guard to which these names are this machine, and allowed."""
    return Egress(
        EgressRules(private_hosts=frozenset(hosts)), FixedNames({host: ["127.0.0.1"] for host in hosts})
    )


def answered(body: bytes = b"", *headers: str, status: int = 200) -> bytes:
    """A whole answer as bytes."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body
