"""Which snapshots are kept as they age, and what becomes of those that are not."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.entities.database_events import DatabaseWritten
from agent_contracts.entities.database_snapshots import DatabaseSnapshot, DatabaseSnapshots
from agent_contracts.errors import LogCorrupt
from agent_contracts.event_sources import Actor
from agent_contracts.log.subjects import database_snapshots_key, database_subject
from agent_platform.log.event_message import Origin, event_message
from agent_platform.process.clock import SystemClock, rfc3339
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.tool_runner.agent_db import AGENT, Home
from tool_runner.agent_db import thinning
from tool_runner.agent_db.agent_db import AgentDb
from tool_runner.agent_db.thinning import thinned

pytestmark = pytest.mark.long

NOW = datetime(2026, 3, 31, 12, 30, tzinfo=UTC)


def snapshots(*ages: timedelta, size: int = 10) -> list[DatabaseSnapshot]:
    """One of each age, the oldest first."""
    return [
        DatabaseSnapshot(number, f"e{number}", 0, f"{number:064x}", size, rfc3339(NOW - age))
        for number, age in enumerate(sorted(ages, reverse=True), start=1)
    ]


def ages(kept: Sequence[DatabaseSnapshot]) -> list[timedelta]:
    return [NOW - datetime.fromisoformat(one.at) for one in kept]


def test_the_newest_three_one_an_hour_for_a_day_and_one_a_day_for_a_month_are_kept() -> None:
    made = snapshots(*(timedelta(minutes=minutes) for minutes in range(0, 60 * 24 * 60, 10)))
    kept = ages(thinned(made, (), NOW))
    assert kept[-3:] == [timedelta(minutes=20), timedelta(minutes=10), timedelta()]
    within_a_day = [age for age in kept if age < timedelta(days=1)]
    assert 24 + 2 <= len(within_a_day) <= 25 + 3
    assert 30 <= len(kept) - len(within_a_day) <= 32
    assert max(kept) < timedelta(days=31)
    assert max(ages(thinned(made, (), NOW, days=7))) < timedelta(days=7)


def test_thinning_after_each_snapshot_leaves_no_larger_gaps() -> None:
    every = snapshots(*(timedelta(minutes=minutes) for minutes in range(0, 60 * 24 * 40, 7)))
    held: Sequence[DatabaseSnapshot] = ()
    for one in every:
        held = thinned([*held, one], (), datetime.fromisoformat(one.at))
    left = ages(held)
    gaps = [older - newer for older, newer in pairwise(left)]
    assert max(gaps) <= timedelta(days=2)
    assert max(gaps[-24:]) <= timedelta(hours=2)
    assert len(held) < 70
    assert max(left) > timedelta(days=29)


def test_what_a_restore_goes_back_to_stays_however_old() -> None:
    made = snapshots(*(timedelta(days=days) for days in range(100)))
    kept = {one.sequence for one in thinned(made, (5, 1), NOW)}
    assert {1, 5} <= kept
    assert not {2, 3, 4, 6} & kept


def test_all_of_an_agents_have_a_bound_of_bytes_and_the_newest_stays() -> None:
    made = snapshots(*(timedelta(days=days) for days in range(20)), size=100)
    assert [one.sequence for one in thinned(made, (), NOW, most_bytes=500)] == [16, 17, 18, 19, 20]
    assert [one.sequence for one in thinned(made, (3,), NOW, most_bytes=500)] == [3, 17, 18, 19, 20]
    assert [one.sequence for one in thinned(made, (), NOW, most_bytes=1)] == [20]


async def listed(home: Home) -> DatabaseSnapshots:
    entry = await home.bucket.get(database_snapshots_key(AGENT))
    if entry is None:
        return DatabaseSnapshots()
    return msgspec.json.decode(entry.value, type=DatabaseSnapshots)


async def saved(home: Home, database: AgentDb) -> None:
    """Wait until there is a snapshot of the newest write."""
    sequence = await home.log.last_sequence()

    async def is_saved() -> bool | None:
        found = (await listed(home)).kept
        return (database.is_idle and bool(found) and found[-1].sequence == sequence) or None

    await eventually(is_saved)


@pytest.fixture
async def thinned_home(home: Home, monkeypatch: pytest.MonkeyPatch) -> tuple[Home, dict[int, str]]:
    """Thirty writes with a snapshot after each, of which two are kept; what the database held after each."""
    monkeypatch.setattr("tool_runner.agent_db.copy.SNAPSHOT_WRITES", 1)
    monkeypatch.setattr(thinning, "NEWEST", 2)
    database = await home.runner()
    held: dict[int, str] = {}
    for number in range(30):
        sql = "INSERT INTO t VALUES (random(), ?)" if number else "CREATE TABLE t (a, b)"
        await home.run(database, sql, *([number] if number else []))
        sequence = await home.log.last_sequence()
        held[sequence] = await database.content_hash()
        await saved(home, database)
    return home, held


async def test_a_moment_between_two_kept_snapshots_is_made_again_by_its_statements(
    thinned_home: tuple[Home, dict[int, str]],
) -> None:
    home, held = thinned_home
    now = await listed(home)
    assert [one.sequence for one in now.kept] == [29, 30]
    assert len(now.unlisted) == 28
    assert all(not one.at for one in now.unlisted), "they can be removed at once"
    names = [*(one.sha256 for one in now.kept), *(one.sha256 for one in now.unlisted)]
    assert len(set(names)) == 30, "no blob is that of two snapshots"
    cold = await home.runner()
    for sequence in (7, 15, 28, 30):
        async with cold.as_of(sequence) as past:
            assert await past.content_hash() == held[sequence]


async def test_the_same_content_saved_twice_is_two_blobs(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that one can be removed without looking who else names its bytes."""
    monkeypatch.setattr("tool_runner.agent_db.copy.SNAPSHOT_WRITES", 1)
    database = await home.runner()
    await home.run(database, "CREATE TABLE t (a)")
    await saved(home, database)
    await home.run(database, "UPDATE t SET a = 1")
    await saved(home, database)
    first, second = (await listed(home)).kept
    assert first.sha256 != second.sha256


async def test_the_snapshot_before_what_a_restore_went_back_to_is_kept(
    thinned_home: tuple[Home, dict[int, str]],
) -> None:
    home, _ = thinned_home
    agent = await home.runners[0].of(AGENT)
    await agent.restore(29, home.writer())
    for number in range(5):
        await home.run(agent, "INSERT INTO t VALUES (1, ?)", number)
        await saved(home, agent)
    kept = [one.sequence for one in (await listed(home)).kept]
    assert 29 in kept
    assert 30 not in kept


async def test_a_process_that_dies_while_it_stores_leaves_a_blob_that_is_listed(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tool_runner.agent_db.copy.SNAPSHOT_WRITES", 1)
    stopped, reached = asyncio.Event(), asyncio.Event()

    async def stop(name: str) -> None:
        if name == "agent_db.snapshot_stored":
            reached.set()
            await stopped.wait()

    monkeypatch.setattr("tool_runner.agent_db.snapshots.stop_point", stop)
    database = await home.runner()
    await home.run(database, "CREATE TABLE t (a)")
    await asyncio.wait_for(reached.wait(), 10)
    await database.close()  # it is given up
    (left,) = (await listed(home)).unlisted
    assert left.at, "it is removed when it can't be at work any more"
    assert await home.blobs.size(left.sha256) > 0


async def test_a_statement_that_does_not_run_as_it_did_is_said_with_the_first_exact_moment(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = await home.runner()
    await home.run(database, "CREATE TABLE t (a)")
    subject = database_subject(AGENT)
    wrong = DatabaseWritten("INSERT INTO t VALUES (1)", [], 0, "5eed", 7, 1)
    message, _ = event_message(
        wrong, subject, Origin(event_sources.RUNNER, Actor.AGENT, prev=1), SystemClock()
    )
    await home.log.append(message)
    cold = await home.runner()
    with pytest.raises(LogCorrupt):
        await cold.tables()
    assert await cold.exact_from(1) == 1
    assert await cold.exact_from(2) is None
    assert isinstance(home.log, MemoryLog)
