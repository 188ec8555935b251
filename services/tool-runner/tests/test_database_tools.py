"""The database family: one database an agent, shared by its sessions."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.ids import SessionId
from foldline_testing.tool_runner.world import World


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    world = World(folder=tmp_path)
    yield world
    await world.databases.close()


async def test_a_query_returns_columns_and_rows(world: World) -> None:
    sql = "SELECT 1 AS one, ? AS b, 9007199254740993 AS large, 1e999 AS inf, NULL AS none"
    event = await world.run("db_sql", {"sql": sql, "params": [{"$base64": "AP8="}]})
    assert event.result == {
        "columns": ["one", "b", "large", "inf", "none"],
        "rows": [[1, {"$base64": "AP8="}, "9007199254740993", None, None]],
        "row_count": 1,
        "truncated": False,
    }


async def test_a_query_without_rows_still_has_columns(world: World) -> None:
    event = await world.run("db_sql", {"sql": "SELECT 1 AS one WHERE 0"})
    assert event.result == {"columns": ["one"], "rows": [], "row_count": 0, "truncated": False}


async def test_a_write_returns_what_it_changed(world: World) -> None:
    created = await world.run("db_sql", {"sql": "CREATE TABLE t (a)"}, call_id="c1")
    assert created.result == {"changes": 0, "last_insert_rowid": 0}
    inserted = await world.run("db_sql", {"sql": "INSERT INTO t VALUES (1), (2)"}, call_id="c2")
    assert inserted.result == {"changes": 2, "last_insert_rowid": 2}
    returned = await world.run("db_sql", {"sql": "DELETE FROM t WHERE a = 1 RETURNING a"}, call_id="c3")
    assert returned.result == {
        "changes": 1,
        "last_insert_rowid": 2,
        "columns": ["a"],
        "rows": [[1]],
        "row_count": 1,
        "truncated": False,
    }


async def test_what_one_session_wrote_another_reads_in_its_next_call(world: World) -> None:
    await world.run("db_sql", {"sql": "CREATE TABLE t AS SELECT 5 AS a"}, call_id="c1")
    event = await world.run("db_sql", {"sql": "SELECT a FROM t"}, call_id="c2", session_id=SessionId("s2"))
    assert event.result["rows"] == [[5]]


@pytest.mark.parametrize(
    ("arguments", "kind", "path"),
    [
        ({}, ErrorKind.INVALID_ARGUMENTS, "/sql"),
        ({"sql": "SELEC 1"}, ErrorKind.INVALID_ARGUMENTS, "/sql"),
        ({"sql": "SELECT ?", "params": [[1]]}, ErrorKind.INVALID_ARGUMENTS, "/params/0"),
        ({"sql": "SELECT ?"}, ErrorKind.INVALID_ARGUMENTS, "/params"),
        ({"sql": "ATTACH 'x' AS x"}, ErrorKind.BLOCKED, "/sql"),
        ({"sql": "INSERT INTO sqlite_schema VALUES (1, 2, 3, 4, 5)"}, ErrorKind.INVALID_ARGUMENTS, "/sql"),
        ({"sql": "SELECT zeroblob(2000000)"}, ErrorKind.TOO_LARGE, None),
    ],
)
async def test_what_is_refused_says_why(
    world: World, arguments: dict[str, object], kind: ErrorKind, path: str | None
) -> None:
    event = await world.run("db_sql", arguments)
    assert (event.error.kind, event.error.path) == (kind, path)
    assert event.error.message


async def test_the_schema_lists_tables_with_columns_and_rows(world: World) -> None:
    assert (await world.run("db_schema", call_id="c0")).result == {"tables": []}
    statements = (
        "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size AS (length(name)))",
        "INSERT INTO t (name) VALUES ('a'), ('b')",
        "CREATE VIRTUAL TABLE found USING fts5(text)",
        "CREATE VIEW v AS SELECT * FROM t",
    )
    for number, sql in enumerate(statements, 1):
        await world.run("db_sql", {"sql": sql}, call_id=f"c{number}")
    (found, table) = (await world.run("db_schema", call_id="d1")).result["tables"]
    assert (found["name"], found["row_count"]) == ("found", 0)
    assert table == {
        "name": "t",
        "row_count": 2,
        "columns": [
            {"name": "id", "type": "INTEGER", "notnull": False, "pk": True},
            {"name": "name", "type": "TEXT", "notnull": True, "pk": False},
            {"name": "size", "type": "", "notnull": False, "pk": False},
        ],
    }
