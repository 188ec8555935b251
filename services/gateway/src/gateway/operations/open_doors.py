"""The doors of other distributions, and how they are kept open."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial

from agent_contracts.extensions import ExtensionFlaw, loaded
from agent_platform.process.background import in_background
from gateway.operations.doors import Door
from gateway.operations.operations import Operations


def check_door(name: str, door: Door) -> None:
    """Raises for one that can't be opened."""
    if not callable(door.serve):
        raise ExtensionFlaw("its `serve` is no function")


DOORS: Mapping[str, Door] = loaded("door", Door, check_door)
"""By name."""


@asynccontextmanager
async def open_doors(operations: Operations, doors: Mapping[str, Door] = DOORS) -> AsyncIterator[None]:
    """Have all doors open for as long as the block runs."""
    tasks = [in_background(partial(door.serve, operations), f"door {name}") for name, door in doors.items()]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
