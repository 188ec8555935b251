"""How long reads wait for projections that are behind the log."""

import contextlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime

from gateway.queries.checkpoint import Behind, ProjectionWait
from gateway.queries.database import Row

NEWEST = 10
MOVED_AT = datetime(2026, 1, 31, 12, tzinfo=UTC)


class Checkpoints:
    """A database of a checkpoint alone, which counts who looks."""

    def __init__(self, *reached: int) -> None:
        self._reached = list(reached)
        self.looks = 0

    @contextlib.asynccontextmanager
    async def snapshot(self) -> AsyncIterator["Checkpoints"]:
        yield self

    async def rows(self, sql: str, **parameters: object) -> list[Row]:
        """The next checkpoint; the last one for ever."""
        self.looks += 1
        now = self._reached.pop(0) if len(self._reached) > 1 else self._reached[0]
        return [{"sequence": now, "at": MOVED_AT}]

    def move_to(self, sequence: int) -> None:
        """The projector has gone on."""
        self._reached = [sequence]


async def newest(after: int) -> int:
    return NEWEST


async def test_a_read_waits_for_a_projector_that_is_started_again() -> None:
    database = Checkpoints(*[6] * 20, 10)
    assert await ProjectionWait(database, wait_s=10).catch_up(newest) is None
    assert database.looks == 21


async def test_only_the_first_reads_wait_for_a_projector_that_has_stopped() -> None:
    database = Checkpoints(6)
    progress = ProjectionWait(database, wait_s=0.05)
    assert await progress.catch_up(newest) == Behind(4, MOVED_AT, of=NEWEST)
    assert database.looks > 2
    before = database.looks
    assert await progress.catch_up(newest) == Behind(4, MOVED_AT, of=NEWEST)
    assert database.looks == before + 1


async def test_one_that_moves_again_is_waited_for_again() -> None:
    database = Checkpoints(6)
    progress = ProjectionWait(database, wait_s=0.05)
    await progress.catch_up(newest)
    database.move_to(7)
    before = database.looks
    await progress.catch_up(newest)
    assert database.looks > before + 2
