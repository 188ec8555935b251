"""Where tools compute: one thread beside the event loop, so that a runner process uses about one core."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class ComputeThread:
    """Runs functions one after another off the event loop.

    More cores are used by more runner processes. A function can't be stopped once it runs: split long work
    into slices of some ten milliseconds, between which other calls get their turn and a cancellation is seen.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="compute")

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` returns or raises."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def close(self) -> None:
        """Drop what waits; what runs is not waited for."""
        self._thread.shutdown(wait=False, cancel_futures=True)
