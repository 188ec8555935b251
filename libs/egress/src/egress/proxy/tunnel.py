"""What follows a CONNECT: bytes, both ways, no faster than they are taken."""

import asyncio
from contextlib import suppress

import httpcore

from egress.proxy import limits
from egress.proxy.idle import Idle


async def tunnel(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, far: httpcore.AsyncNetworkStream, first: bytes
) -> None:
    """Until either end closes, or nothing comes from either for `IDLE_S` seconds (TimeoutError). `first` is
    what the near end sent already. `OSError` or httpcore's errors where an end breaks."""

    async def outwards() -> None:
        data = first
        while True:
            if data:
                idle.touch()
                await far.write(data)
            if not (data := await reader.read(limits.CHUNK)):
                return

    async def inwards() -> None:
        while data := await far.read(limits.CHUNK):
            idle.touch()
            writer.write(data)
            await writer.drain()

    async with Idle(limits.IDLE_S) as idle:
        ways = [asyncio.create_task(outwards()), asyncio.create_task(inwards())]
        try:
            done, _ = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            for way in ways:
                with suppress(asyncio.CancelledError, OSError, httpcore.NetworkError):
                    await way
        for way in done:
            way.result()
