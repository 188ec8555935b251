"""Work that goes on beside other work, and ends with it."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def beside(*work: Coroutine[Any, Any, Any]) -> AsyncIterator[tuple[asyncio.Task[Any], ...]]:
    """The work as tasks, which are cancelled at the end."""
    tasks = tuple(asyncio.create_task(one) for one in work)
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
