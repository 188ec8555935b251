"""Doors of other distributions: one that fails is opened again, and the others stay open."""

import asyncio

from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.doors import Door
from gateway.operations.open_doors import open_doors
from gateway.operations.operations import Operations


async def test_a_door_that_fails_is_opened_again_beside_one_that_stays_open() -> None:
    opened: list[str] = []
    again = asyncio.Event()

    async def fails(operations: Operations) -> None:
        opened.append("fails")
        if len(opened) > 2:
            again.set()
            await asyncio.Event().wait()
        raise RuntimeError("a bug")

    async def stays(operations: Operations) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            opened.append("closed")

    operations = InMemory().operations
    async with open_doors(operations, {"fails": Door(serve=fails), "stays": Door(serve=stays)}):
        await asyncio.wait_for(again.wait(), 60)
        assert opened == ["fails", "fails", "fails"]
    assert opened[-1] == "closed"
