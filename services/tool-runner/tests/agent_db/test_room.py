"""A database counts as what its agent keeps, and grows no further than there is room for."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_contracts.errors import Rejected
from agent_platform.log.quotas.room import Room
from foldline_testing.agent_platform.memory_room import memory_room
from foldline_testing.tool_runner.agent_db import AGENT, Home

LIMIT = 200_000
FILL = "INSERT INTO t SELECT zeroblob(1000) FROM json_each(?)"


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    home = Home(tmp_path / "copies")
    home.room = memory_room(home.log, LIMIT)
    yield home
    await home.close()


async def test_a_statement_that_makes_it_too_large_is_refused_whole_and_the_database_goes_on(
    home: Home,
) -> None:
    database = await home.runner()
    await home.run(database, "CREATE TABLE t (a)")
    await home.run(database, FILL, "[" + "1," * 99 + "1]")
    room = home.room
    assert isinstance(room, Room)
    assert (await room.kept(AGENT)).parts == {"database": await database.size()}
    with pytest.raises(Rejected) as refused:
        await home.run(database, FILL, "[" + "1," * 149 + "1]")
    assert refused.value.kind == "too_large"
    assert (await home.run(database, "SELECT count(*) FROM t")).rows == [(100,)]
    await home.run(database, "DELETE FROM t")
    await home.run(database, FILL, "[1]")


async def test_two_runners_that_write_at_once_stay_within_it(home: Home) -> None:
    first, second = await home.runner(), await home.runner()
    await home.run(first, "CREATE TABLE t (a)")

    kinds: set[str] = set()

    async def fill(number: int) -> int:
        stored = 0
        for _ in range(20):
            try:
                await home.run((first, second)[number], FILL, "[" + "1," * 19 + "1]")
                stored += 1
            except Rejected as refused:
                kinds.add(refused.kind)
        return stored

    assert sum(await asyncio.gather(fill(0), fill(1))) >= 6
    assert kinds <= {"too_large"}
    assert await first.size() <= LIMIT
    assert await first.content_hash() == await second.content_hash()
