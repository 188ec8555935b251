"""Watches a Chromium: whether it lives, and whether it takes more disk than it may."""

import asyncio
from pathlib import Path

from browser_pool.chromium.folder import size_of
from browser_pool.chromium.processes import runs

_EACH_S = 1.0


async def until_lost(process: int, folder: Path, limit: int) -> str:
    """Wait until the process is gone, or what it wrote takes more than `limit` bytes; what to say of that.

    Playwright tells of Chromium's death, but not of that of its own driver, with which Chromium dies.
    """
    while runs(process):
        size = await asyncio.to_thread(size_of, folder)
        if size > limit:
            return (
                f"its files took {size >> 20} MiB, of {limit >> 20} MiB that they may "
                "(FOLDLINE_CHROMIUM_DISK): pages stored or downloaded too much"
            )
        await asyncio.sleep(_EACH_S)
    return "it died"
