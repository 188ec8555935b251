"""After erasures the tables are written anew: many together, and within an hour."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from agent_platform.process.clock import SystemClock
from projector.erasing.table_rewriter import LONGEST, QUIET, TableRewriter

START = datetime(2026, 1, 31, tzinfo=UTC)


class Standing(SystemClock):
    """A clock that a test sets."""

    moment = START

    def now(self) -> datetime:
        """The time that the test set."""
        return self.moment


class Tables:
    """Counts how often it was written anew; fails while `broken`."""

    times = 0
    broken = False

    async def rewrite(self) -> list[str]:
        """Once more."""
        if self.broken:
            raise psycopg.OperationalError("no Postgres answers")
        self.times += 1
        return []


@pytest.fixture
def tables() -> Tables:
    return Tables()


@pytest.fixture
def clock() -> Standing:
    return Standing()


async def test_nothing_erased_writes_nothing_and_one_erasure_once(tables: Tables, clock: Standing) -> None:
    rewriting = TableRewriter(tables.rewrite, clock)
    clock.moment += timedelta(days=1)
    assert not await rewriting.run_if_due()
    rewriting.erased(clock.moment)
    assert not await rewriting.run_if_due()
    clock.moment += QUIET
    assert await rewriting.run_if_due()
    clock.moment += timedelta(days=1)
    assert not await rewriting.run_if_due()
    assert tables.times == 1


async def test_erasures_without_end_are_not_waited_for_beyond_an_hour(
    tables: Tables, clock: Standing
) -> None:
    rewriting = TableRewriter(tables.rewrite, clock)
    while clock.moment - START < LONGEST:
        rewriting.erased(clock.moment)
        assert not await rewriting.run_if_due()
        clock.moment += timedelta(minutes=5)
    rewriting.erased(clock.moment)
    assert await rewriting.run_if_due()
    assert clock.moment - START < timedelta(hours=1)


async def test_what_fails_is_tried_again(tables: Tables, clock: Standing) -> None:
    rewriting = TableRewriter(tables.rewrite, clock)
    rewriting.erased(clock.moment)
    clock.moment += QUIET
    tables.broken = True
    assert not await rewriting.run_if_due()
    tables.broken = False
    assert await rewriting.run_if_due()
