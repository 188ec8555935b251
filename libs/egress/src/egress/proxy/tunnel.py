"""What follows a CONNECT: bytes, both ways, no faster than they are taken."""

import asyncio
from contextlib import suppress

import httpcore

from agent_contracts.errors import Failure
from egress.proxy import limits
from egress.proxy.idle_timeout import IdleTimeout
from egress.proxy.program_connection import ProgramConnection
from egress.proxy.terms import MeteredRequest


async def tunnel(near: ProgramConnection, far: httpcore.AsyncNetworkStream, metered: MeteredRequest) -> None:
    """Until either end closes, or nothing comes from either for `IDLE_S` seconds (TimeoutError). What the
    near end has sent already goes first. `OSError` or httpcore's errors where an end breaks, `Rejected` where
    the allowance is used up."""

    async def outwards() -> None:
        data = near.http.trailing_data[0]
        while True:
            if data:
                idle.touch()
                metered.out(len(data))
                await far.write(data)
            if not (data := await near.reader.read(limits.CHUNK)):
                return

    async def inwards() -> None:
        while data := await far.read(limits.CHUNK):
            idle.touch()
            metered.come(len(data))
            near.writer.write(data)
            await near.writer.drain()

    async with IdleTimeout(limits.IDLE_S) as idle:
        ways = [asyncio.create_task(outwards()), asyncio.create_task(inwards())]
        try:
            done, _ = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            for way in ways:
                with suppress(asyncio.CancelledError, OSError, httpcore.NetworkError, Failure):
                    await way
        for way in done:
            way.result()
