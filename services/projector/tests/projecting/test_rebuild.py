"""Tables built anew: equal to the live ones, or in their place without anyone noticing."""

import asyncio
from collections.abc import Awaitable, Callable

import psycopg
import pytest

from agent_contracts.errors import Rejected
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.projector.counting import POISON, Counting, count
from projector.projecting.rebuild import check, rebuild
from projector.projecting.store import writing

Start = Callable[..., asyncio.Task[None]]
Ask = Callable[..., Awaitable[list[tuple[object, ...]]]]
Reached = Callable[[int], Awaitable[None]]

SCHEMAS = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'counts%%' ORDER BY 1"


async def test_live_tables_equal_ones_built_anew(
    log: MemoryLog, start: Start, ask: Ask, reached: Reached, postgres_dsn: str
) -> None:
    start(Counting(), log)
    await count(log, "a", b"x", POISON, b"x")
    await reached(await count(log, "b", b"x"))
    report = await check(Counting(), postgres_dsn, log)
    assert (report.differing, report.sequence) == (0, 4)
    assert [(table.table, table.rows) for table in report.compared or []] == [("seen", 4), ("totals", 2)]
    assert await ask(SCHEMAS) == [("counts",)]


async def test_each_row_that_differs_is_reported(
    log: MemoryLog, start: Start, ask: Ask, reached: Reached, postgres_dsn: str
) -> None:
    start(Counting(), log)
    await count(log, "a", b"x")
    await reached(await count(log, "b", b"x"))
    await ask("UPDATE counts.totals SET count = 7 WHERE subject = 'cnt.a'")
    await ask("DELETE FROM counts.totals WHERE subject = 'cnt.b'")
    await ask("INSERT INTO counts.totals VALUES ('cnt.c', 1, 1)")
    report = await check(Counting(), postgres_dsn, log)
    [shown] = [table.shown for table in report.compared or [] if table.table == "totals"]
    assert report.differing == 3
    assert [(d.key["subject"], d.columns, d.a is None, d.b is None) for d in shown] == [
        ("cnt.a", ["count"], False, False),
        ("cnt.b", ["subject", "count", "last"], True, False),
        ("cnt.c", ["subject", "count", "last"], False, True),
    ]


async def test_a_rebuild_repairs_what_differs_and_says_so(
    log: MemoryLog, start: Start, ask: Ask, reached: Reached, postgres_dsn: str
) -> None:
    start(Counting(), log)
    await reached(await count(log, "a", b"x", b"x"))
    await ask("UPDATE counts.totals SET count = 7")
    report = await rebuild(Counting(), postgres_dsn, log)
    assert report.differing == 1
    assert await ask("SELECT count FROM counts.totals") == [(2,)]
    await reached(await count(log, "a", b"x"))
    assert await ask("SELECT count FROM counts.totals") == [(3,)]
    assert await ask(SCHEMAS) == [("counts",)]


async def test_what_is_written_and_read_during_rebuilds_is_never_wrong(
    log: MemoryLog, start: Start, ask: Ask, reached: Reached, postgres_dsn: str
) -> None:
    await count(log, "a", *[b"x"] * 2000)
    start(Counting(), log)
    await reached(2000)
    writing = asyncio.create_task(_keep_counting(log))
    reading = asyncio.create_task(_keep_reading(postgres_dsn))
    for _ in range(3):
        report = await rebuild(Counting(), postgres_dsn, log)
        assert report.differing == 0
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    await reached(await count(log, "a", b"x"))
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    last = await log.last_sequence()
    assert await ask("SELECT count FROM counts.totals") == [(last,)]
    assert (await check(Counting(), postgres_dsn, log)).differing == 0


async def _keep_counting(log: MemoryLog) -> None:
    while True:
        await count(log, "a", b"x")
        await asyncio.sleep(0.002)


async def _keep_reading(dsn: str) -> None:
    """As the gateway reads: some queries at one moment, names found by search path."""
    before = 0
    async with writing(dsn, "a reader") as reader:
        await reader.execute("SET search_path TO counts")
        await reader.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
        while True:
            async with reader.transaction():
                checkpoint = await (await reader.execute("SELECT sequence FROM checkpoint")).fetchone()
                await asyncio.sleep(0.001)
                total = await (await reader.execute("SELECT count, last FROM totals")).fetchone()
                seen = await (await reader.execute("SELECT count(*) FROM seen")).fetchone()
            assert checkpoint is not None
            assert checkpoint[0] >= before, "a reader went back in time"
            before = checkpoint[0]
            assert total == (before, before)
            assert seen == (before,)


async def test_tables_can_be_built_without_a_projector(log: MemoryLog, ask: Ask, postgres_dsn: str) -> None:
    await count(log, "a", b"x", b"x")
    report = await rebuild(Counting(), postgres_dsn, log)
    assert (report.compared, report.sequence) == (None, 2)
    assert await ask("SELECT count FROM counts.totals") == [(2,)]


async def test_messages_purged_from_the_log_are_gone_after_a_rebuild(
    log: MemoryLog, start: Start, ask: Ask, reached: Reached, postgres_dsn: str
) -> None:
    start(Counting(), log)
    await count(log, "a", b"x")
    await reached(await count(log, "b", b"x", b"x"))
    log.lose(2)
    log.lose(3)
    report = await rebuild(Counting(), postgres_dsn, log)
    assert (report.differing, report.sequence) == (3, 3)
    assert await ask("SELECT subject FROM counts.totals") == [("cnt.a",)]
    await reached(await count(log, "a", b"x"))
    assert await ask("SELECT subject, count FROM counts.totals") == [("cnt.a", 2)]


async def test_only_one_rebuild_runs_at_a_time(log: MemoryLog, postgres_dsn: str) -> None:
    await count(log, "a", *[b"x"] * 3000)
    found = await asyncio.gather(
        rebuild(Counting(), postgres_dsn, log), rebuild(Counting(), postgres_dsn, log), return_exceptions=True
    )
    assert [type(outcome) for outcome in found if isinstance(outcome, BaseException)] == [Rejected]


async def test_there_is_nothing_to_check_before_the_first_start(log: MemoryLog, postgres_dsn: str) -> None:
    with pytest.raises(Rejected, match="nothing to compare"):
        await check(Counting(), postgres_dsn, log)
