"""The database as of any event: from the log, from snapshots, after restores."""

import asyncio
from functools import partial
from pathlib import Path

import apsw
import pytest

from agent_contracts import event_sources
from agent_contracts.entities.database_events import DatabaseRestored
from agent_contracts.event_sources import ENGINE, Actor
from agent_contracts.ids import AgentId
from agent_contracts.log.subjects import SNAPSHOTS_BUCKET, database_snapshots_key, database_subject
from agent_platform.log.bucket import Bucket
from agent_platform.log.event_message import Origin, event_message
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.tool_runner.agent_db import AGENT, Home
from tool_runner.agent_db import databases
from tool_runner.agent_db.agent_db import AgentDb
from tool_runner.agent_db.content_hash import content_hash
from tool_runner.agent_db.databases import AgentDatabases
from tool_runner.agent_db.folder import CopyFolder

TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, a)"
INSERT = "INSERT INTO t (a) VALUES (?)"
WRITES = (
    TABLE,
    "CREATE TABLE log (at DEFAULT CURRENT_TIMESTAMP, r DEFAULT (random()), b)",
    "CREATE TABLE w (k PRIMARY KEY, v) WITHOUT ROWID",
    "INSERT INTO log (b) VALUES (randomblob(16)), (hex(randomblob(3)))",
    "INSERT INTO t (a) SELECT abs(random() % 1000) FROM log, log",
    "INSERT INTO w SELECT id, datetime('now', '+' || a || ' days') FROM t",
    "INSERT INTO t (a) VALUES (last_insert_rowid()), (julianday('now')), (unixepoch('subsec'))",
    "CREATE VIRTUAL TABLE f USING fts5(text)",
    "INSERT INTO f (text) SELECT 'word' || id || ' and ' || a FROM t",
    "CREATE TRIGGER g AFTER DELETE ON t BEGIN INSERT INTO log (b) VALUES (old.a); END",
    "CREATE INDEX i ON t (a)",
    "ANALYZE",
    "DELETE FROM t WHERE id IN (SELECT id FROM t ORDER BY random() LIMIT 3)",
    "INSERT INTO f (f) VALUES ('optimize')",
    "UPDATE w SET v = strftime('%Y-%m-%d %f', 'now') || random() WHERE k % 2",
    "CREATE VIRTUAL TABLE r USING rtree(id, x0, x1)",
    "INSERT INTO r SELECT id, 0, abs(a) FROM t",
    "CREATE TABLE x AS SELECT *, current_time AS c FROM t",
    "DROP TABLE f",
    "ALTER TABLE log ADD COLUMN more DEFAULT 5",
    "DELETE FROM w",
)


async def test_replay_to_any_event_has_what_was_there_then(home: Home, database: AgentDb) -> None:
    held = {0: await database.content_hash()}
    for sql in WRITES:
        await home.run(database, sql)
        held[await home.log.last_sequence()] = await database.content_hash()
    assert len(set(held.values())) >= len(WRITES)  # one may have had nothing to optimize
    cold = await home.runner()
    for sequence, expected in held.items():
        async with cold.as_of(sequence) as past:
            assert await past.content_hash() == expected
    assert await cold.content_hash() == held[len(WRITES)]


async def test_two_writes_have_different_dice_and_reads_have_too(home: Home, database: AgentDb) -> None:
    drawn = [(await home.run(database, "SELECT random()")).rows[0] for _ in range(5)]
    assert len(set(drawn)) == 5


async def test_what_one_runner_wrote_another_reads_at_once(home: Home) -> None:
    one, other = await home.runner(), await home.runner()
    for turn in range(5):
        await home.run(one, f"CREATE TABLE t{turn} (a)")
        assert (await home.run(other, f"SELECT count(*) FROM t{turn}")).rows == [(0,)]
        await home.run(other, f"INSERT INTO t{turn} VALUES (1)")
        assert (await home.run(one, f"SELECT count(*) FROM t{turn}")).rows == [(1,)]


async def test_a_restore_brings_back_what_was_there_and_can_be_undone(home: Home) -> None:
    one, other = await home.runner(), await home.runner()
    await home.run(one, TABLE)
    await home.run(one, INSERT, "kept")
    point, before = await home.log.last_sequence(), await one.content_hash()
    await home.run(other, INSERT, "undone")
    await home.run(other, "ALTER TABLE t ADD COLUMN b")
    undone, held = await home.log.last_sequence(), await other.content_hash()
    assert await one.restore(point, home.writer()) == undone + 1
    assert [await one.content_hash(), await other.content_hash()] == [before, before]
    await home.run(other, INSERT, "after")
    after = await one.content_hash()
    assert (await home.run(one, "SELECT a FROM t")).rows == [("kept",), ("after",)]
    await other.restore(undone, home.writer())
    assert [await one.content_hash(), await other.content_hash()] == [held, held]
    cold = await home.runner()
    assert await cold.content_hash() == held
    async with cold.as_of(undone + 2) as past:
        assert await past.content_hash() == after
    async with cold.as_of(undone + 1) as past:
        assert await past.content_hash() == before


async def test_a_restore_is_made_once(home: Home, database: AgentDb) -> None:
    await home.run(database, TABLE)
    sequence = await database.restore(0, Home.writer_of("c9", since=1))
    await home.run(database, TABLE)
    assert await database.restore(0, Home.writer_of("c9", since=1)) == sequence
    assert [table.name for table in await database.tables()] == ["t"]


async def test_many_restores_upon_restores_are_replayed_in_one_go(home: Home, database: AgentDb) -> None:
    await home.run(database, TABLE)
    for turn in range(12):
        await home.run(database, INSERT, turn)
        last = await home.log.last_sequence()
        await database.restore(last - 1 if turn % 2 else last, home.writer())
    cold = await home.runner()
    assert await cold.content_hash() == await database.content_hash()


class CountingBlobs(MemoryBlobs):
    """Knows how often it was read."""

    reads = 0

    async def get(self, sha256: str) -> bytes:
        self.reads += 1
        return await super().get(sha256)


@pytest.fixture
async def with_snapshots(home: Home, monkeypatch: pytest.MonkeyPatch) -> tuple[Home, dict[int, str]]:
    """What 25 writes held, one after another, with a snapshot about every ten."""
    monkeypatch.setattr("tool_runner.agent_db.copy.SNAPSHOT_WRITES", 10)
    home.blobs = CountingBlobs()
    database = await home.runner()
    held = {}
    for number in range(25):
        await home.run(database, INSERT if number else TABLE, *([number] if number else []))
        held[await home.log.last_sequence()] = await database.content_hash()
        if number in (9, 19):
            await eventually(partial(is_listed, home, number // 10 + 1))
    return home, held


async def is_listed(home: Home, count: int) -> bool | None:
    entry = await home.bucket.get(database_snapshots_key(AGENT))
    return (entry is not None and entry.value.count(b'"event_id"') == count) or None


async def test_a_cold_runner_starts_from_a_snapshot(with_snapshots: tuple[Home, dict[int, str]]) -> None:
    home, held = with_snapshots
    for sequence in (5, 10, 15, 20, 25):
        cold = await home.runner()
        async with cold.as_of(sequence) as past:
            assert await past.content_hash() == held[sequence]
    assert isinstance(home.blobs, CountingBlobs)
    assert home.blobs.reads == 4  # as of event 5 there was none yet


async def test_a_snapshot_is_of_use_even_where_what_it_was_made_from_is_gone(
    with_snapshots: tuple[Home, dict[int, str]],
) -> None:
    home, held = with_snapshots
    assert isinstance(home.log, MemoryLog)
    home.log.lose(3)
    assert await (await home.runner()).content_hash() == held[25]


@pytest.mark.parametrize("damage", [b"", b"[]", b'[{"sequence":20}]', b"not json"])
async def test_a_list_of_snapshots_that_says_nothing_costs_time_only(
    with_snapshots: tuple[Home, dict[int, str]], damage: bytes
) -> None:
    home, held = with_snapshots
    await home.bucket.put(database_snapshots_key(AGENT), damage)
    assert await (await home.runner()).content_hash() == held[25]


async def test_lost_blobs_and_snapshots_of_another_log_cost_time_only(
    with_snapshots: tuple[Home, dict[int, str]],
) -> None:
    home, held = with_snapshots
    home.blobs = MemoryBlobs()
    assert await (await home.runner()).content_hash() == held[25]
    other = Home(home.folder, bucket=home.bucket, blobs=home.blobs)
    database = await other.runner()
    await other.run(database, "CREATE TABLE mine (a)")
    cold = await other.runner()
    assert [table.name for table in await cold.tables()] == ["mine"]
    await other.close()


async def test_others_go_on_while_a_statement_without_end_runs(home: Home, database: AgentDb) -> None:
    bomb = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    await home.run(database, TABLE)
    endless = asyncio.create_task(database.execute(bomb, [], home.writer(since=1)))
    await asyncio.sleep(0)
    await home.run(database, INSERT, 1)
    assert (await home.run(database, "SELECT count(*) FROM t")).rows == [(1,)]
    assert not endless.done()
    endless.cancel()
    await asyncio.wait({endless})
    assert endless.cancelled()


async def test_of_many_agents_copies_those_not_in_use_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "MOST_OPEN", 2)
    snapshots = Bucket(MemoryLog(), SNAPSHOTS_BUCKET)
    runner = AgentDatabases(
        MemoryLog(), snapshots, MemoryBlobs(), tmp_path, SystemClock(), event_sources.RUNNER
    )
    for turn in range(2):
        for number in range(5):
            database = await runner.of(AgentId(f"a{number}"))
            if not turn:
                await database.execute(f"CREATE TABLE t{number} (a)", [], Home.writer_of(f"c{number}"))
            assert [table.name for table in await database.tables()] == [f"t{number}"]
            assert len(files_in(tmp_path)) <= 3
    await runner.close()
    assert not files_in(tmp_path)


def files_in(folder: Path) -> list[Path]:
    return list(folder.glob("*/*.sqlite"))


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / "left"
    left.mkdir()
    (left / "1.sqlite").write_bytes(b"x")
    living = CopyFolder(tmp_path)
    kept = living.new_file()
    kept.write_bytes(b"x")
    assert not left.exists()
    other = CopyFolder(tmp_path)
    other.new_file()
    assert kept.exists()
    other.close()
    living.close()
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_the_hash_tells_types_rowids_and_schema_apart() -> None:
    def of(*statements: str) -> str:
        sqlite = apsw.Connection(":memory:")
        for statement in statements:
            sqlite.execute(statement)
        found = content_hash(sqlite)
        sqlite.close()
        return found

    table = "CREATE TABLE t (a)"
    different = [
        of(),
        of(table),
        of("CREATE TABLE t (a, b)"),
        of(table, "INSERT INTO t VALUES (1)"),
        of(table, "INSERT INTO t VALUES (1.0)"),
        of(table, "INSERT INTO t VALUES ('1')"),
        of(table, "INSERT INTO t VALUES (x'31')"),
        of(table, "INSERT INTO t VALUES (NULL)"),
        of(table, "INSERT INTO t (rowid, a) VALUES (7, 1)"),
        of(table, "INSERT INTO t VALUES (1), (1)"),
    ]
    assert len(set(different)) == len(different)
    shuffled = of(
        table, "INSERT INTO t (rowid, a) VALUES (2, 'b')", "INSERT INTO t (rowid, a) VALUES (1, 'a')"
    )
    assert shuffled == of(table, "INSERT INTO t VALUES ('a'), ('b')")


@pytest.mark.parametrize("ahead", [0, 1, 1_000])
async def test_a_restore_that_names_itself_or_what_comes_later_leads_to_right_before_it(
    home: Home, database: AgentDb, ahead: int
) -> None:
    """No such one is written; from another log, it must not be followed round and round."""
    await home.run(database, TABLE)
    await home.run(database, INSERT, 1)
    before, last = await database.content_hash(), await home.log.last_sequence()
    origin = Origin(ENGINE, Actor.USER, prev=last)
    event = DatabaseRestored(last + 1 + ahead)
    message, _ = event_message(event, database_subject(AGENT), origin, SystemClock())
    assert await home.log.append(message) == last + 1
    async with asyncio.timeout(60):
        assert await (await home.runner()).content_hash() == before
        assert await database.content_hash() == before
