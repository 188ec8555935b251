"""Whoever judges a statement knows what others changed of the schema."""

import asyncio

import pytest

from foldline_testing.tool_runner.agent_db import Home
from tool_runner.agent_db.agent_db import AgentDb
from tool_runner.agent_db.open_copy import READERS

TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)"
TRIGGER = "CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END"


@pytest.fixture
async def warm(home: Home, database: AgentDb) -> AgentDb:
    """A database each reader of which has seen the schema as it was with one table."""
    await home.run(database, TABLE)
    await asyncio.gather(*(home.run(database, "SELECT * FROM t") for _ in range(2 * READERS)))
    return database


@pytest.mark.parametrize(
    ("made", "dropped"),
    [
        (TRIGGER, "DROP TRIGGER IF EXISTS g"),
        ("CREATE TABLE u (x)", "DROP TABLE IF EXISTS u"),
        ("CREATE VIEW v AS SELECT 1 AS one", "DROP VIEW IF EXISTS v"),
        ("CREATE INDEX i ON t (a)", "DROP INDEX IF EXISTS i"),
    ],
)
async def test_what_was_just_made_is_dropped(home: Home, warm: AgentDb, made: str, dropped: str) -> None:
    await home.run(warm, made)
    before = await home.log.last_sequence()
    _, wrote = await warm.execute(dropped, [], home.writer())
    assert wrote
    assert await home.log.last_sequence() == before + 1
    names = await home.run(warm, "SELECT name FROM sqlite_schema")
    assert names.rows == [("t",)]


async def test_what_was_just_dropped_is_made_again(home: Home, warm: AgentDb) -> None:
    await home.run(warm, "DROP TABLE t")
    _, wrote = await warm.execute("CREATE TABLE IF NOT EXISTS t (x)", [], home.writer())
    assert wrote
    assert [table.name for table in await warm.tables()] == ["t"]
    assert (await home.run(warm, "PRAGMA table_info(t)")).rows[0][1] == "x"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("PRAGMA index_list(t)", "i"),
        ("SELECT seq, name FROM pragma_index_list('t')", "i"),
        ("PRAGMA index_info(i)", "a"),
    ],
)
async def test_a_new_index_is_listed(home: Home, warm: AgentDb, asked: str, expected: str) -> None:
    await home.run(warm, "CREATE INDEX i ON t (a)")
    assert expected in (await home.run(warm, asked)).rows[0]


async def test_a_new_column_and_a_new_key_are_listed(home: Home, warm: AgentDb) -> None:
    await home.run(warm, "ALTER TABLE t ADD COLUMN c REFERENCES t (id)")
    assert [row[1] for row in (await home.run(warm, "PRAGMA table_info(t)")).rows] == ["id", "a", "b", "c"]
    assert len((await home.run(warm, "PRAGMA foreign_key_list(t)")).rows) == 1


@pytest.mark.parametrize("sql", ["REINDEX", "REINDEX t", "REINDEX i", "REINDEX nocase", "ANALYZE i"])
async def test_a_new_index_is_made_anew(home: Home, warm: AgentDb, sql: str) -> None:
    await home.run(warm, "CREATE INDEX i ON t (a COLLATE NOCASE)")
    before = await home.log.last_sequence()
    _, wrote = await warm.execute(sql, [], home.writer())
    assert wrote
    assert await home.log.last_sequence() == before + 1


async def test_the_schema_of_the_past_does_not_stay_after_a_restore(home: Home, warm: AgentDb) -> None:
    at = await home.log.last_sequence()
    await home.run(warm, "CREATE INDEX i ON t (a)")
    await asyncio.gather(*(home.run(warm, "PRAGMA index_list(t)") for _ in range(2 * READERS)))
    await warm.restore(at, home.writer(since=await home.log.last_sequence()))
    assert (await home.run(warm, "PRAGMA index_list(t)")).rows == []
    _, wrote = await warm.execute("CREATE INDEX IF NOT EXISTS i ON t (a)", [], home.writer())
    assert wrote


async def test_another_runners_ddl_is_seen(home: Home, warm: AgentDb) -> None:
    other = await home.runner()
    await home.run(other, TRIGGER)
    _, wrote = await warm.execute("DROP TRIGGER IF EXISTS g", [], home.writer())
    assert wrote
    assert (await home.run(other, "SELECT name FROM sqlite_schema WHERE type = 'trigger'")).rows == []
