"""uvicorn inside our own loop: it listens where we say, handles no signal, and ends in time."""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator

import uvicorn
from starlette.types import ASGIApp

from agent_contracts.errors import Rejected
from gateway.door.connections import bounded_http, possible_connections

_UNREAD_MS = 30_000
_GRACE_S = 1


def listen(host: str, port: int) -> socket.socket:
    """A socket on this port (0: any free one). `Rejected` if it is taken: whoever was told of the port would
    look for us in vain on another."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named because asyncio sets TCP_NODELAY only then: without, answers wait 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Inherited by each connection: one whose peer leaves our bytes unread ends.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_MS)
    try:
        listening.bind((host.strip("[]"), port))
    except OSError as error:
        listening.close()
        raise Rejected(
            f"FOLDLINE_HOST, FOLDLINE_PORT: can't listen on {host}:{port}: {error.strerror}. Stop the "
            "program that does, or set another port",
            kind="port_taken",
        ) from error
    listening.setblocking(False)
    return listening


class HttpServer(uvicorn.Server):
    """A server that leaves signals to whoever runs the loop."""

    def __init__(self, app: ASGIApp, connections: int, head_s: float) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=bounded_http(possible_connections(connections), head_s),
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=_GRACE_S,
                timeout_keep_alive=30,
                backlog=1024,
            )
        )

        self._stopping = asyncio.Event()

    async def main_loop(self) -> None:
        """Wait for the end; once a second, renew the Date header. uvicorn's own wakes ten times a second."""
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await self._stopping.wait()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield

    async def run_until_cancelled(self, listening: socket.socket, end_streams: Callable[[], None]) -> None:
        """Serve until cancelled; then end the streams, and finish the requests in hand (1 s)."""
        serving = asyncio.create_task(self.serve(sockets=[listening]))
        try:
            await asyncio.shield(serving)
        finally:
            end_streams()
            self.should_exit = True
            self._stopping.set()
            await serving
