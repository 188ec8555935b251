"""The program's end of a connection: h11's side of a server, over asyncio's streams."""

import asyncio

import h11

from egress.proxy import limits


class ProgramConnection:
    """What the program says, and is told."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.http = h11.Connection(h11.SERVER, max_incomplete_event_size=limits.HEAD)

    async def next_event(self) -> h11.Event | type[h11.PAUSED]:
        """What it says next. `h11.RemoteProtocolError` if that is not HTTP."""
        while (event := self.http.next_event()) is h11.NEED_DATA:
            self.http.receive_data(await self.reader.read(limits.CHUNK))
        return event  # type: ignore[return-value]  # NEED_DATA is over

    async def send(self, event: h11.Event) -> None:
        """Say it, and wait until there is room again."""
        data = self.http.send(event)
        if data:
            self.writer.write(data)
            await self.writer.drain()
