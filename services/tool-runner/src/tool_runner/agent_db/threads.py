"""Where SQLite works: threads beside the event loop. It gives up the interpreter while it does."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from tool_runner.agent_db.connection import StatementDeadline

T = TypeVar("T")

MOST = 32
"""Threads; one agent uses at most a few of them (see `OpenCopy`)."""


class Threads:
    """Runs functions side by side. They end before whoever waits for them goes on, cancelled or not: a
    connection is never left in use."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=MOST, thread_name_prefix="agent-db")

    async def run(self, work: Callable[[StatementDeadline], T]) -> T:
        """What `work` returns or raises. Its `StatementDeadline` is told when the caller is cancelled."""
        stop = StatementDeadline()
        future = asyncio.get_running_loop().run_in_executor(self._pool, work, stop)
        cancelled: asyncio.CancelledError | None = None
        while not future.done():
            try:
                await asyncio.wait({future})
            except asyncio.CancelledError as error:
                stop.told, cancelled = True, error
        if cancelled is not None:
            future.exception()
            raise cancelled
        return future.result()

    def close(self) -> None:
        """What runs is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)
