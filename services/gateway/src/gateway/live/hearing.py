"""Hearing what happens in a task of its own, which keeps up however slowly its owner goes on."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

from gateway.live.event_listener import EventListener
from gateway.live.frames import LiveFrame


@contextlib.asynccontextmanager
async def hearing(
    listening: EventListener, hear: Callable[[LiveFrame], object], ended: Callable[[], object]
) -> AsyncIterator["asyncio.Task[None]"]:
    """Every frame is given to `hear`, until the block ends. `ended` is called where no more will come: the
    task then raises why."""

    async def run() -> None:
        try:
            async with contextlib.aclosing(listening.frames()) as batches:
                async for batch in batches:
                    for frame in batch:
                        hear(frame)
        finally:
            ended()

    task = asyncio.create_task(run())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
