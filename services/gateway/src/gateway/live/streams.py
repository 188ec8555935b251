"""The open live streams of a process."""

import asyncio
from typing import Any


class Streams:
    """The open streams of this process, so that they can be ended together."""

    def __init__(self) -> None:
        self._open: set[asyncio.Task[Any]] = set()
        self._closing = False

    def __len__(self) -> int:
        """How many are open."""
        return len(self._open)

    def add(self, stream: "asyncio.Task[Any]") -> None:
        """Remember an open stream until it ends."""
        self._open.add(stream)
        stream.add_done_callback(self._open.discard)
        if self._closing:
            stream.cancel()

    def end(self) -> None:
        """End every stream, now and from now on. Clients come back to whoever serves then."""
        self._closing = True
        for stream in list(self._open):
            stream.cancel()
