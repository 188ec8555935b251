"""What statements may do: told by SQLite, whatever their text looks like."""

import pytest

from agent_contracts.errors import Rejected
from foldline_testing.tool_runner.agent_db import Home
from tool_runner.agent_db import limits
from tool_runner.agent_db.agent_db import AgentDb
from tool_runner.agent_db.copy import Copy

TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)"
BOMB = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "  -- a comment\n/* and another */ SELECT 1 ; -- the end",
        ";;SELECT 1",
        "VALUES (1), (2)",
        "WITH x AS (SELECT 1) SELECT * FROM x",
        "EXPLAIN INSERT INTO t (a) VALUES (1)",
        "EXPLAIN QUERY PLAN DELETE FROM t",
        "PRAGMA table_info(t)",
        "PRAGMA user_version",
        "SELECT name FROM pragma_table_info('t')",
        "SELECT random(), datetime('now'), CURRENT_TIMESTAMP, sqlite_version()",
    ],
)
async def test_a_statement_that_only_reads_leaves_no_event(home: Home, database: AgentDb, sql: str) -> None:
    await home.run(database, TABLE)
    before = await home.log.last_sequence()
    ran, wrote = await database.execute(sql, [], home.writer())
    assert not wrote
    assert ran.columns
    assert await home.log.last_sequence() == before


@pytest.mark.parametrize(
    ("sql", "changes", "rows"),
    [
        ("INSERT INTO t (a) VALUES (1), (2)", 2, []),
        ("/* SELECT */ INSERT INTO t (a) VALUES (1);", 1, []),
        ("WITH x AS (SELECT 5 AS n) INSERT INTO t (a) SELECT n FROM x", 1, []),
        ("INSERT INTO t (a) VALUES (7) RETURNING id, a", 1, [(1, 7)]),
        ("REPLACE INTO t VALUES (1, 2, 3)", 1, []),
        ("DELETE FROM t", 0, []),
        ("CREATE TABLE IF NOT EXISTS t (x)", 0, []),
        ("CREATE TABLE u AS SELECT 1 AS one", 0, []),
        ("ALTER TABLE t RENAME COLUMN b TO c", 0, []),
        ("CREATE INDEX i ON t (date(a))", 0, []),
        ("CREATE VIRTUAL TABLE f USING fts5(text)", None, []),
        ("CREATE VIRTUAL TABLE r USING rtree(id, x0, x1)", None, []),
        ("CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END", 0, []),
        ("CREATE VIEW v AS SELECT random() AS r FROM t", 0, []),
        ("ANALYZE", 0, []),
        ("DROP TABLE t", 0, []),
    ],
)
async def test_a_statement_that_writes_is_one_event(
    home: Home, database: AgentDb, sql: str, changes: int | None, rows: list[tuple[int, ...]]
) -> None:
    await home.run(database, TABLE)
    before = await home.log.last_sequence()
    ran, wrote = await database.execute(sql, [], home.writer())
    assert wrote
    assert ran.rows == rows
    assert changes is None or ran.changes == changes
    assert await home.log.last_sequence() == before + 1


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH ':memory:' AS other",
        "attach 'file:/etc/passwd?mode=ro' as x",
        "EXPLAIN ATTACH ':memory:' AS other",
        "DETACH main",
        "VACUUM",
        "VACUUM INTO '/tmp/stolen'",
        "SELECT load_extension('x')",
        "INSERT INTO t (a) SELECT load_extension('x')",
        "BEGIN",
        "BEGIN EXCLUSIVE",
        "COMMIT",
        "END",
        "ROLLBACK",
        "SAVEPOINT s",
        "RELEASE s",
        "PRAGMA user_version = 5",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA journal_mode",
        "PRAGMA writable_schema = ON",
        "PRAGMA max_page_count = 1000000",
        "PRAGMA foreign_keys = OFF",
        "PRAGMA optimize",
        "PRAGMA temp_store_directory = '/'",
        "SELECT * FROM pragma_page_count",
        "SELECT count(*) FROM pragma_page_count",
        "CREATE TEMP TABLE x (a)",
        "CREATE TEMP VIEW x AS SELECT 1",
        "CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END",
        "CREATE VIRTUAL TABLE x USING fts4(a)",
        "CREATE VIRTUAL TABLE x USING dbstat",
        "SELECT * FROM dbstat",
        "SELECT fts3_tokenizer('simple')",
        "SELECT sqlite_log(1, 'x')",
        "SELECT json_patch('{}', '{}')",
        "SELECT total_changes()",
        "INSERT INTO t (a) VALUES (changes())",
        "INSERT INTO t (a) VALUES (sqlite_version())",
        "CREATE TABLE u AS SELECT sqlite_source_id()",
        "INSERT INTO sqlite_stat1 VALUES ('t', 'i', '1')",
        "SELECT datetime('now', 'localtime')",
        "INSERT INTO t (a) VALUES (strftime('%H', 'now', 'UTC'))",
        "INSERT INTO t (a) VALUES (date('now', 'local' || 'time'))",
    ],
)
async def test_a_refused_form_is_blocked_and_nothing_happens(home: Home, database: AgentDb, sql: str) -> None:
    await home.run(database, TABLE)
    await home.run(database, "CREATE INDEX i ON t (a)")
    await home.run(database, "ANALYZE")
    before = await home.log.last_sequence()
    with pytest.raises(Rejected) as refused:
        await database.execute(sql, [], home.writer())
    assert refused.value.kind == "blocked", refused.value.message
    assert await home.log.last_sequence() == before
    assert (await home.run(database, "SELECT count(*) FROM t")).rows == [(0,)]


@pytest.mark.parametrize(
    ("sql", "params", "path"),
    [
        ("", [], "/sql"),
        ("-- nothing", [], "/sql"),
        ("SELEC 1", [], "/sql"),
        ("SELECT * FROM nowhere", [], "/sql"),
        ("SELECT nothing FROM t", [], "/sql"),
        ("SELECT 1; SELECT 2", [], "/sql"),
        ("INSERT INTO t (a) VALUES (1); DROP TABLE t", [], "/sql"),
        ("SELECT 1; -- so far\n ; BEGIN", [], "/sql"),
        ("SELECT 1; nonsense", [], "/sql"),
        ("SELECT 'a\x00b'", [], "/sql"),
        ("UPDATE sqlite_schema SET sql = ''", [], "/sql"),
        ("SELECT ?", [], "/params"),
        ("SELECT ?", [1, 2], "/params"),
        ("INSERT INTO t (a) VALUES (?)", [], "/params"),
        ("SELECT ?1, ?3", [1], "/params"),
    ],
)
async def test_what_is_no_single_statement_or_lacks_its_parameters_is_invalid(
    home: Home, database: AgentDb, sql: str, params: list[object], path: str
) -> None:
    await home.run(database, TABLE)
    with pytest.raises(Rejected) as refused:
        await database.execute(sql, params, home.writer())
    assert (refused.value.kind, refused.value.path) == ("invalid_arguments", path), refused.value.message


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("INSERT INTO t (id) VALUES (1)", "rejected"),
        ("INSERT INTO child VALUES (5)", "rejected"),
        ("INSERT INTO late VALUES (5)", "rejected"),
        ("INSERT INTO t (id) VALUES (9223372036854775807)", "rejected"),
        ("SELECT CAST(x'ff' AS TEXT)", "rejected"),
        ("SELECT abs(-9223372036854775807 - 1)", "rejected"),
        (f"INSERT INTO t (a) VALUES (zeroblob({limits.VALUE_BYTES + 1}))", "too_large"),
        (f"SELECT randomblob({limits.VALUE_BYTES + 1})", "too_large"),
        ("SELECT instr(hex(zeroblob(500000)), hex(zeroblob(400000)) || 'x')", "too_large"),
        ("SELECT trim(hex(zeroblob(500000)), hex(zeroblob(400000)))", "too_large"),
    ],
)
async def test_what_can_not_be_done_says_why_and_leaves_no_event(
    home: Home, database: AgentDb, sql: str, kind: str
) -> None:
    await home.run(database, TABLE)
    await home.run(database, "INSERT INTO t (id) VALUES (1)")
    await home.run(database, "CREATE TABLE child (parent REFERENCES t (id))")
    await home.run(database, "CREATE TABLE late (parent REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED)")
    before, held = await home.log.last_sequence(), await database.content_hash()
    with pytest.raises(Rejected) as refused:
        await database.execute(sql, [], home.writer())
    assert refused.value.kind == kind, refused.value.message
    assert await home.log.last_sequence() == before
    assert await database.content_hash() == held


async def test_the_tables_behind_an_index_can_not_be_written(home: Home, database: AgentDb) -> None:
    await home.run(database, "CREATE VIRTUAL TABLE f USING fts5(text)")
    with pytest.raises(Rejected, match="may not be modified"):
        await home.run(database, "DELETE FROM f_data")


async def test_at_most_a_thousand_rows_come_back_and_it_says_so(home: Home, database: AgentDb) -> None:
    numbers = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT ?) "
    exact = await home.run(database, numbers + "SELECT x FROM c", limits.ROWS)
    more = await home.run(database, numbers + "SELECT x FROM c", limits.ROWS + 1)
    assert (len(exact.rows), exact.truncated) == (limits.ROWS, False)
    assert (len(more.rows), more.truncated) == (limits.ROWS, True)
    await home.run(database, TABLE)
    written = await home.run(
        database, numbers + "INSERT INTO t (a) SELECT x FROM c RETURNING id", limits.ROWS + 5
    )
    assert (len(written.rows), written.truncated, written.changes) == (limits.ROWS, True, limits.ROWS + 5)


async def test_what_comes_back_is_bounded_in_bytes_too(home: Home, database: AgentDb) -> None:
    ran = await home.run(
        database,
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 20) "
        "SELECT zeroblob(1000000) FROM c",
    )
    assert (len(ran.rows), ran.truncated) == (limits.RESULT_BYTES // 1_000_000, True)


@pytest.mark.parametrize("sql", [BOMB + "SELECT count(*) FROM c", BOMB + "INSERT INTO t (a) SELECT x FROM c"])
async def test_a_statement_without_end_is_stopped_and_changes_nothing(
    home: Home, database: AgentDb, sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tool_runner.agent_db.open_copy.STATEMENT_S", 0.2)
    monkeypatch.setattr("tool_runner.agent_db.copy.STATEMENT_S", 0.2)
    await home.run(database, TABLE)
    before = await home.log.last_sequence()
    with pytest.raises(Rejected) as refused:
        await home.run(database, sql)
    assert refused.value.kind == "timeout"
    assert await home.log.last_sequence() == before
    assert (await home.run(database, "SELECT count(*) FROM t")).rows == [(0,)]


async def test_the_database_does_not_grow_beyond_its_limit(home: Home) -> None:
    home.most_bytes = 1_000_000
    database = await home.runner()
    await home.run(database, TABLE)
    for _ in range(3):
        await home.run(database, "INSERT INTO t (a) VALUES (randomblob(250000))")
    with pytest.raises(Rejected, match="at most 1000000 bytes") as refused:
        await home.run(database, "INSERT INTO t (a) VALUES (randomblob(500000))")
    assert refused.value.kind == "too_large"
    assert (await home.run(database, "SELECT count(*) FROM t")).rows == [(3,)]
    assert (await home.run(database, "DELETE FROM t")).changes == 3


async def test_a_database_that_is_larger_than_a_limit_set_since_is_read_and_does_not_grow(home: Home) -> None:
    before = await home.runner()
    await home.run(before, TABLE)
    for _ in range(3):
        await home.run(before, "INSERT INTO t (a) VALUES (randomblob(250000))")
    home.most_bytes = 500_000
    now = await home.runner()
    assert (await home.run(now, "SELECT count(*) FROM t")).rows == [(3,)]
    with pytest.raises(Rejected) as refused:
        await home.run(now, "INSERT INTO t (a) VALUES (randomblob(100000))")
    assert refused.value.kind == "too_large"
    home.most_bytes = 0
    unlimited = await home.runner()
    assert (await home.run(unlimited, "INSERT INTO t (a) VALUES (randomblob(100000))")).changes == 1


async def test_a_write_that_fits_no_message_is_too_large(home: Home, database: AgentDb) -> None:
    await home.run(database, TABLE)
    parts = ["x" * (limits.VALUE_BYTES - 100)] * 5
    with pytest.raises(Rejected) as refused:
        await home.run(database, "INSERT INTO t (a) VALUES (?), (?), (?), (?), (?)", *parts)
    assert refused.value.kind == "too_large"
    assert (await home.run(database, "SELECT count(*) FROM t")).rows == [(0,)]


async def test_views_upon_views_hold_up_nobody_but_who_asks_for_them(home: Home, database: AgentDb) -> None:
    await home.run(database, "CREATE VIEW v0 AS SELECT 1 AS a")
    for number in range(1, 40):
        await home.run(database, f"CREATE VIEW v{number} AS SELECT x.a FROM v{number - 1} x, v{number - 1} y")
    await home.run(database, TABLE)
    assert [table.name for table in await database.tables()] == ["t"]
    with pytest.raises(Rejected):
        await home.run(database, "SELECT * FROM v39")


def test_the_page_size_is_what_the_limit_reckons_with(home: Home) -> None:
    home.folder.mkdir()
    copy = Copy(home.folder / "one.sqlite")
    try:
        assert int.from_bytes(copy.content()[16:18], "big") == limits.PAGE_BYTES
    finally:
        copy.close()
