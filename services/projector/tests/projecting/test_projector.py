"""The live projector on a real Postgres: nothing lost, nothing doubled."""

import asyncio
from collections.abc import Awaitable, Callable

import psycopg
import pytest
from prometheus_client import CollectorRegistry
from psycopg import sql

from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.servers import PostgresForTests
from foldline_testing.projector.counting import BUG, POISON, REFUSED, Counting, count
from projections.schema import CHANNEL
from projector import handlers
from projector.handlers import Projector
from projector.projecting.letters import DeadLetterWriter
from projector.projecting.metrics import ProjectionMetrics
from projector.projecting.schemas import create, version_of
from projector.projecting.store import CheckpointMoved, TableStore, writing
from projector.projecting.writer import ProjectionWriter

Start = Callable[..., asyncio.Task[None]]
Ask = Callable[..., Awaitable[list[tuple[object, ...]]]]
Reached = Callable[[int], Awaitable[None]]
Becomes = Callable[..., Awaitable[None]]
LETTERS = DeadLetterWriter(MemoryLog())


async def test_what_is_in_the_log_and_what_comes_is_in_the_tables(
    log: MemoryLog, start: Start, ask: Ask, reached: Reached
) -> None:
    await count(log, "a", *[b"x"] * 1500)
    start(Counting(), log)
    await reached(1500)
    await count(log, "b", b"y")
    await count(log, "a", b"z")
    await reached(1502)
    assert await ask("SELECT subject, count FROM counts.totals ORDER BY 1") == [("cnt.a", 1501), ("cnt.b", 1)]
    assert await ask("SELECT count(*), max(sequence) FROM counts.seen") == [(1502, 1502)]


async def test_rows_that_were_not_foreseen_are_looked_up_when_they_are_asked_for(
    log: MemoryLog, start: Start, ask: Ask, reached: Reached
) -> None:
    start(Counting(hinting=False), log)
    await reached(await count(log, "a", b"x", b"x"))
    await reached(await count(log, "a", b"x"))
    assert await ask("SELECT count FROM counts.totals") == [(3,)]


async def test_a_restarted_projector_goes_on_where_the_last_one_stopped(
    log: MemoryLog, start: Start, ask: Ask, reached: Reached
) -> None:
    first = start(Counting(), log)
    await reached(await count(log, "a", b"x", b"x"))
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    await count(log, "a", b"x")
    start(Counting(), log)
    await reached(3)
    assert await ask("SELECT count FROM counts.totals") == [(3,)]


async def test_of_two_projectors_one_works_and_the_other_takes_over(
    log: MemoryLog, start: Start, ask: Ask, reached: Reached
) -> None:
    both = [start(Counting(), log), start(Counting(), log)]
    await reached(await count(log, "a", *[b"x"] * 50))
    for one in both:
        one.cancel()
        await asyncio.gather(one, return_exceptions=True)
        if one is both[0]:
            await reached(await count(log, "a", *[b"x"] * 50))
    assert await ask("SELECT count FROM counts.totals") == [(100,)]


async def test_two_writers_at_once_do_no_harm(log: MemoryLog, postgres_dsn: str, ask: Ask) -> None:
    await count(log, "a", *[b"x"] * 20)
    messages = [message async for message in log.read("cnt.>")]
    projection = Counting()
    async with writing(postgres_dsn) as one, writing(postgres_dsn) as two:
        await create(one, projection, projection.schema)
        writers = [
            ProjectionWriter(connection, projection, projection.schema, 0, letters=LETTERS)
            for connection in (one, two)
        ]
        found = await asyncio.gather(*(writer.write(messages) for writer in writers), return_exceptions=True)
        assert [type(outcome) for outcome in found if outcome != 0] == [CheckpointMoved]
        again = ProjectionWriter(two, projection, projection.schema, 20, letters=LETTERS)
        await again.write(messages)
    assert await ask("SELECT count FROM counts.totals") == [(20,)]


async def test_a_table_is_never_read_whole_though_it_was_small_when_postgres_counted_it(
    log: MemoryLog, postgres_dsn: str
) -> None:
    """A plan is kept after some uses: made for a small table, it would read all of it when it is large."""
    projection = Counting()
    async with writing(postgres_dsn) as connection:
        await create(connection, projection, projection.schema)
        writer = ProjectionWriter(connection, projection, projection.schema, 0, letters=LETTERS)

        async def scans() -> tuple[int, int]:
            await connection.execute("SELECT pg_stat_force_next_flush()")
            query = (
                "SELECT sum(seq_scan)::int, sum(idx_scan)::int FROM pg_stat_user_tables"
                " WHERE schemaname = %s AND relname = 'totals'"
            )
            [found] = await (await connection.execute(query, [projection.schema])).fetchall()
            return found[0], found[1]

        async def written(*names: str) -> None:
            for name in names:
                await count(log, name, b"x")
                await writer.write([one async for one in log.read("cnt.>", after=writer.position)])

        await written("a", "b", "c")
        await connection.execute(sql.SQL("ANALYZE {}.totals").format(sql.Identifier(projection.schema)))
        whole, by_key = await scans()
        await written(*(f"a{number}" for number in range(20)))
        after = await scans()
    assert after[0] == whole
    assert after[1] - by_key >= 20


async def test_a_writer_that_missed_something_is_refused_as_well(log: MemoryLog, postgres_dsn: str) -> None:
    await count(log, "a", b"x", b"x")
    messages = [message async for message in log.read("cnt.>")]
    projection = Counting()
    async with writing(postgres_dsn) as connection:
        await create(connection, projection, projection.schema)
        ahead = ProjectionWriter(connection, projection, projection.schema, 1, letters=LETTERS)
        with pytest.raises(CheckpointMoved):
            await ahead.write(messages)
        found = await TableStore(connection, projection, projection.schema).checkpoint()
        assert found is not None
        assert found.sequence == 0


@pytest.mark.parametrize("body", [POISON, BUG, REFUSED])
async def test_poison_is_recorded_and_everything_around_it_is_projected(
    body: bytes, log: MemoryLog, start: Start, ask: Ask, reached: Reached, registry: CollectorRegistry
) -> None:
    await count(log, "a", *[b"x"] * 10, body, *[b"x"] * 10)
    start(Counting(), log)
    await reached(await count(log, "a", b"x"))
    assert await ask("SELECT count FROM counts.totals") == [(21,)]
    [(sequence, problem)] = await ask("SELECT sequence, problem FROM counts.seen WHERE problem IS NOT NULL")
    assert sequence == 11
    assert problem
    assert registry.get_sample_value(
        "foldline_projection_problems_total", {"projection": "counting"}
    ) == pytest.approx(1)


async def test_each_commit_is_announced_with_its_sequence(
    log: MemoryLog, start: Start, postgres_dsn: str, reached: Reached
) -> None:
    start(Counting(), log)
    await reached(await count(log, "a", b"x"))
    async with writing(postgres_dsn) as listener:
        await listener.execute(f"LISTEN {CHANNEL}".encode())
        sequence = await count(log, "a", b"x")
        async for notice in listener.notifies(timeout=30, stop_after=1):
            assert notice.payload == str(sequence)
            return
    pytest.fail("no announcement")


async def test_commits_that_postgres_lost_in_a_crash_are_made_again(
    log: MemoryLog, start: Start, ask: Ask, reached: Reached, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handlers, "IDLE_CHECK_S", 0.05)
    start(Counting(), log)
    await reached(await count(log, "a", b"x", b"x", b"x"))
    await ask(
        "WITH a AS (DELETE FROM counts.seen WHERE sequence > 1),"
        " b AS (UPDATE counts.totals SET count = 1, last = 1)"
        " UPDATE counts.checkpoint SET sequence = 1"
    )
    await reached(3)
    assert await ask("SELECT count FROM counts.totals") == [(3,)]


@pytest.mark.faults
async def test_a_killed_postgres_costs_nothing_but_time(
    log: MemoryLog, start: Start, ask: Ask, reached: Reached, postgres_server: PostgresForTests
) -> None:
    if postgres_server.server is None:
        pytest.skip("this test kills Postgres, and this one is not ours")
    start(Counting(), log)
    appending = asyncio.create_task(_append_slowly(log))
    await reached(20)
    postgres_server.server.kill()
    with pytest.raises(psycopg.OperationalError):
        await ask("SELECT 1")
    await asyncio.sleep(0.1)  # sleeps: work
    postgres_server.server.start_blocking()
    await appending
    await reached(300)
    assert await ask("SELECT count FROM counts.totals") == [(300,)]
    assert await ask("SELECT count(*), min(sequence) FROM counts.seen") == [(300, 1)]


async def test_the_lag_is_that_of_the_moment_in_which_it_is_asked_for(
    log: MemoryLog, postgres_dsn: str, registry: CollectorRegistry, reached: Reached
) -> None:
    metrics = ProjectionMetrics(registry, "counts")
    projector = Projector(Counting(), postgres_dsn, log, SystemClock(), metrics, LETTERS)

    async def lag() -> float | None:
        await projector.measure_lag()
        return registry.get_sample_value("foldline_projection_lag_events", {"projection": "counts"})

    for behind in (3, 2):
        await count(log, "a", *[b"x"] * behind)
        assert await lag() == (0 if behind == 3 else behind), "while it is interrupted, too"
        working = asyncio.create_task(projector.run())
        await reached(await log.last_sequence())
        assert await lag() == 0, "as soon as it has caught up"
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


async def _append_slowly(log: MemoryLog) -> None:
    for _ in range(300):
        await count(log, "a", b"x")
        await asyncio.sleep(0.003)  # sleeps: work


async def test_another_version_of_the_mapping_builds_the_tables_anew(
    log: MemoryLog, start: Start, ask: Ask, reached: Reached, becomes: Becomes
) -> None:
    first = start(Counting(), log)
    await reached(await count(log, "a", b"x", b"x"))
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    second = Counting(2, step=10)
    start(second, log)
    await becomes("SELECT version FROM counts.checkpoint", (version_of(second),))
    await reached(await count(log, "a", b"x"))
    assert await ask("SELECT count FROM counts.totals") == [(30,)]
    assert await ask("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'counts%%'") == [("counts",)]


async def test_an_older_projector_leaves_newer_tables_alone(
    log: MemoryLog, start: Start, ask: Ask, reached: Reached
) -> None:
    newer = start(Counting(2, step=10), log)
    await reached(await count(log, "a", b"x"))
    newer.cancel()
    await asyncio.gather(newer, return_exceptions=True)
    older = start(Counting(1), log)
    await count(log, "a", b"x")
    await asyncio.sleep(0.3)  # sleeps: quiet
    assert not older.done()
    assert await ask("SELECT count FROM counts.totals") == [(10,)]


async def test_tables_of_another_log_are_replaced(
    log: MemoryLog, start: Start, reached: Reached, becomes: Becomes
) -> None:
    first = start(Counting(), log)
    await reached(await count(log, "a", b"x", b"x", b"x"))
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    other = MemoryLog()
    await count(other, "b", b"x")
    start(Counting(), other)
    await becomes("SELECT subject, count FROM counts.totals", ("cnt.b", 1))
