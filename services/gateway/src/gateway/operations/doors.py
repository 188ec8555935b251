"""Doors that other distributions add: entry points of the group `foldline.doors`."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import msgspec

from agent_contracts.extensions import ExtensionFlaw, loaded
from agent_platform.process.background import in_background
from gateway.operations.operations import Operations


class Door(msgspec.Struct, frozen=True, kw_only=True):
    """Lets people or programs in by another protocol."""

    serve: Callable[[Operations], Coroutine[Any, Any, None]]
    """Listens to whatever it is for, and does what it is asked by these operations, until it is cancelled. It
    decides itself whom it lets in. Where it raises, that is logged, and it is called again after a pause."""


def _check(name: str, door: Door) -> None:
    if not callable(door.serve):
        raise ExtensionFlaw("its `serve` is no function")


DOORS: Mapping[str, Door] = loaded("door", Door, _check)
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
