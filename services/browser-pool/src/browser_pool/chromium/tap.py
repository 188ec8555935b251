"""What Playwright and Chromium say to each other, on its way through here.

Chromium begins as a bare Python of ours, which Playwright started: it hands its ends of Playwright's pipes to
us, and gets others, whose far ends are ours. So we hear that Chromium is gone as it goes, and can talk to it
in between, at any moment: for its pages, before they run.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Protocol

import structlog

_NAME = "tap"
_MOST = 512 * 1024 * 1024
"""Bytes of a message: a picture of the largest page, several times over."""
_END = b"\0"

log = structlog.get_logger()


class TapListener(Protocol):
    """Who hears each message, before it goes on."""

    def from_playwright(self, message: bytes) -> bytes:
        """Playwright says this; what Chromium is told for it. What is said to Chromium here is heard
        before it."""
        ...

    def from_chromium(self, message: bytes) -> bytes | None:
        """Chromium says this; what Playwright is told for it, if anything."""
        ...


class Tap:
    """Both directions of the pipes of one Chromium."""

    def __init__(self, path: Path, listening: socket.socket) -> None:
        """Chromium's first steps find us at `path`."""
        self.path = path
        self._listening = listening
        self._chromium: asyncio.StreamWriter | None = None
        self._carrying: asyncio.Task[None] | None = None

    def say(self, message: bytes) -> None:
        """To Chromium. What it answers is heard by `TapListener.from_chromium`."""
        if self._chromium is not None and not self._chromium.is_closing():
            self._chromium.write(message + _END)

    def begin(self, between: TapListener) -> asyncio.Task[None]:
        """Wait for Chromium's first steps, and carry messages from then on, until an end closes: then the
        task is done."""
        self._carrying = asyncio.create_task(self._carry(between))
        return self._carrying

    async def end(self) -> None:
        """Let go of all of it."""
        if self._carrying is not None:
            self._carrying.cancel()
            await asyncio.wait({self._carrying})

    async def _carry(self, between: TapListener) -> None:
        door, _ = await asyncio.get_running_loop().sock_accept(self._listening)
        self._listening.close()  # nobody else is let in
        self.path.unlink()
        with door:
            door.setblocking(True)
            _, ends, _, _ = await asyncio.to_thread(socket.recv_fds, door, 1, 2)
            playwrights = [socket.socket(fileno=end) for end in ends]
            chromiums = [socket.socketpair() for _ in ends]
            socket.send_fds(door, [b"!"], [theirs.fileno() for _, theirs in chromiums])
            for _, theirs in chromiums:
                theirs.close()
        asked, asks = await _stream(playwrights[0])
        _, self._chromium = await _stream(chromiums[0][0])
        said, says = await _stream(chromiums[1][0])
        _, told = await _stream(playwrights[1])

        ways = [
            asyncio.create_task(_carried(asked, self._chromium, between.from_playwright)),
            asyncio.create_task(_carried(said, told, between.from_chromium)),
        ]
        try:
            done, _ = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in done:
                if (error := way.exception()) is not None:
                    log.error("chromium.not_understood", exc_info=error)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            for end in (asks, self._chromium, says, told):
                end.close()


@asynccontextmanager
async def tapped(folder: Path) -> AsyncIterator[Tap]:
    """A tap that the program which writes to this folder finds there."""
    path = folder / _NAME
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen(1)
        listening.setblocking(False)
        tap = Tap(path, listening)
        try:
            yield tap
        finally:
            await tap.end()


async def _carried(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, heard: Callable[[bytes], bytes | None]
) -> None:
    """Until either end closes."""
    with suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            message = heard((await reader.readuntil(_END))[:-1])
            if message is not None:
                writer.write(message + _END)
                await writer.drain()


async def _stream(end: socket.socket) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    end.setblocking(False)
    return await asyncio.open_unix_connection(sock=end, limit=_MOST)
