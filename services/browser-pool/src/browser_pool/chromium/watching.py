"""Ends a Chromium that takes more disk than it may."""

import asyncio
from pathlib import Path

from browser_pool.chromium.folder import size_of

_EACH_S = 1.0


async def until_too_large(folder: Path, limit: int) -> str:
    """Wait until what Chromium wrote takes more than `limit` bytes; what to say of that."""
    while True:
        size = await asyncio.to_thread(size_of, folder)
        if size > limit:
            return (
                f"its files took {size >> 20} MiB, of {limit >> 20} MiB that they may "
                "(FOLDLINE_CHROMIUM_DISK): pages stored or downloaded too much"
            )
        await asyncio.sleep(_EACH_S)
