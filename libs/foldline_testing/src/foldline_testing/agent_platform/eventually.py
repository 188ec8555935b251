"""Wait in tests for what happens sooner or later."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


async def eventually(ask: Callable[[], Awaitable[T | None]], *, within: float = 20.0) -> T:
    """Ask every 20 ms until the answer is something; `TimeoutError` after `within` seconds."""
    async with asyncio.timeout(within):
        while True:
            answer = await ask()
            if answer is not None:
                return answer
            await asyncio.sleep(0.02)


async def until(holds: Callable[[], bool], *, within: float = 60.0) -> None:
    """Look every 20 ms until it holds; `TimeoutError` after `within` seconds."""

    async def ask() -> bool | None:
        return holds() or None

    await eventually(ask, within=within)


async def all_had_their_turn() -> None:
    """Let the tasks of this process run as far as they get: they have acted on what they were told in memory.
    Says nothing of what comes from elsewhere."""
    for _ in range(200):
        await asyncio.sleep(0)
