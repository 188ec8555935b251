"""A copy of one agent's database, as a file that can be thrown away: the fold of its write log."""

import contextlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw
import msgspec

from agent_contracts.entities.database_events import DatabaseWritten
from agent_contracts.errors import LogCorrupt, Rejected
from agent_contracts.outside import Sources, joined
from tool_runner.agent_db.connection import SqlConnection, StatementDeadline, StatementResult
from tool_runner.agent_db.failures import CopyUnusable, failure_of
from tool_runner.agent_db.limits import DATABASE_BYTES, PAGE_BYTES, STATEMENT_S
from tool_runner.agent_db.moment import Moment
from tool_runner.agent_db.own_queries import quoted, rowid_name, rows
from tool_runner.agent_db.schema import size_of
from tool_runner.agent_db.values import SqlValue, to_sql

_LAST_ROWID = 2**63 - 1
_TABLES = """
SELECT name FROM sqlite_schema
WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
"""

SNAPSHOT_WRITES = 1000
SNAPSHOT_S = 5.0
"""A snapshot is due when to do again what came since the last one takes so many writes, or seconds."""
_SETTINGS = f"""
PRAGMA page_size = {PAGE_BYTES};
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
"""
"""Readers don't wait for a write. Nothing is flushed: a copy doesn't outlive its process."""


class PendingWrite(msgspec.Struct, frozen=True):
    """What a write gave that isn't kept yet. The database would have so many `bytes`, `grown` more.
    `loses`: it drops something, or empties a table of rows."""

    ran: StatementResult
    bytes: int
    grown: int
    loses: bool = False


class Copy:
    """`position` is the sequence of the last event of the write log that is in it, 0 for none; `outside`
    where material came from that those had who wrote what is in it.

    Its methods block: call them on a thread, one at a time. Readers of the same file are apart (`reader`).
    """

    def __init__(
        self, path: Path, position: int = 0, last_rowid: int = 0, *, most_bytes: int = DATABASE_BYTES
    ) -> None:
        """Open the file, or make an empty one. `most_bytes` is how large writes may have it become."""
        self.path = path
        self.position = position
        self.last_rowid = last_rowid
        self.outside: Sources = ()
        self.count_anew(position)
        self._most_bytes = most_bytes
        self._connection = SqlConnection(path, reads_only=False, most_bytes=most_bytes)
        try:
            self._connection.sqlite.execute(_SETTINGS)
        except apsw.Error as error:
            self._connection.close()
            raise CopyUnusable(str(error)) from error

    @property
    def is_snapshot_due(self) -> bool:
        """Whether it took long enough to come here from where counting began."""
        return self._writes >= SNAPSHOT_WRITES or self._seconds >= SNAPSHOT_S

    def count_anew(self, after: int) -> None:
        """There is a snapshot of the database after event `after`."""
        self.counted_after = after
        self._writes, self._seconds = 0, 0.0

    def close(self) -> None:
        """Close the file and remove it."""
        self._connection.close()
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    def reader(self) -> SqlConnection:
        """Another connection, which sees what is committed."""
        return SqlConnection(self.path, reads_only=True)

    def begin(
        self, sql: str, values: Sequence[SqlValue], moment: Moment, stop: StatementDeadline
    ) -> PendingWrite:
        """Run a write up to, but without, its commit: anything but that undoes it.

        Raises the failure it met, all of it undone.
        """
        self.rollback()
        stop.limit(STATEMENT_S)
        statement = self._connection.prepare(sql, values, stop).text
        rules = self._connection.rules
        drops, emptied = rules.drops, tuple(rules.emptied)
        with self._undone_on_failure():
            self._connection.limit_size(True)
            before = size_of(self._connection.sqlite)
            ran = self._run(statement, values, moment, stop)
            loses = drops or (ran.changes > 1 and any(map(self._is_empty, emptied)))
            self._check_rowids()
            size = size_of(self._connection.sqlite)
            return PendingWrite(ran, size, size - before, loses)

    def commit(self, position: int, last_rowid: int, outside: Sources = ()) -> None:
        """Keep what `begin` did. Raises `CopyUnusable` where that fails."""
        try:
            self._connection.sqlite.execute("COMMIT")
        except apsw.Error as error:
            raise CopyUnusable(str(error)) from error
        self.position, self.last_rowid = position, last_rowid
        self.outside = joined(self.outside, outside)
        self._writes += 1

    def rollback(self) -> None:
        """Undo what `begin` did."""
        try:
            if self._connection.sqlite.in_transaction:
                self._connection.sqlite.execute("ROLLBACK")
        except apsw.Error as error:
            raise CopyUnusable(str(error)) from error

    def apply(self, sequence: int, event: DatabaseWritten) -> StatementResult:
        """Do again what was accepted: without limits of time and size, since it must come to the same end.

        Raises `LogCorrupt` where it doesn't.
        """
        self.rollback()
        values, moment = to_sql(event.params), Moment(event.clock, event.seed)
        try:
            with self._undone_on_failure():
                self._connection.limit_size(False)
                ran = self._run(event.sql, values, moment, StatementDeadline())
                if (ran.changes, ran.last_insert_rowid) != (event.changes, event.last_insert_rowid):
                    raise LogCorrupt(
                        f"event {sequence} changed {event.changes} rows of the agent's database (last rowid "
                        f"{event.last_insert_rowid}); done again, {ran.changes} ({ran.last_insert_rowid})"
                    )
        except Rejected as error:
            raise LogCorrupt(f"event {sequence} can't be done again: {error.message}") from error
        self.commit(sequence, ran.last_insert_rowid, event.outside)
        return ran

    def pass_over(self, sequence: int) -> None:
        """The message at `sequence` isn't an event: what is written next is written after it."""
        self.rollback()
        self.position = sequence

    def become(self, past: "Copy", position: int) -> None:
        """Take over the content of another copy, as the outcome of event `position`."""
        self.rollback()
        try:
            with self._connection.sqlite.backup("main", past._connection.sqlite, "main") as backup:
                while not backup.done:
                    backup.step()
        except apsw.Error as error:
            raise CopyUnusable(str(error)) from error
        self.last_rowid, self.outside = past.last_rowid, past.outside
        self.stand_at(position)

    def stand_at(self, position: int) -> None:
        """What is in it is also the outcome of event `position`, which restored it: a snapshot is due."""
        self.position = position
        self._writes = SNAPSHOT_WRITES

    def content(self) -> bytes:
        """The whole database as a file's bytes."""
        self.rollback()
        return self._connection.sqlite.serialize("main")

    def _run(
        self, statement: str, values: Sequence[SqlValue], moment: Moment, stop: StatementDeadline
    ) -> StatementResult:
        try:
            self._connection.sqlite.execute("BEGIN IMMEDIATE")
        except apsw.Error as error:
            raise failure_of(error, preparing=False, most_bytes=self._most_bytes) from error
        began = time.perf_counter()
        ran = self._connection.run(statement, values, moment, stop, self.last_rowid)
        self._seconds += time.perf_counter() - began
        unresolved, _ = self._connection.sqlite.status(apsw.SQLITE_DBSTATUS_DEFERRED_FKS)
        if unresolved:
            raise Rejected("FOREIGN KEY constraint failed")
        return ran

    @contextlib.contextmanager
    def _undone_on_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.rollback()
            raise

    def _is_empty(self, table: str) -> bool:
        quoted = table.replace('"', '""')
        return self._connection.sqlite.execute(f'SELECT 1 FROM "{quoted}" LIMIT 1').fetchone() is None

    def _check_rowids(self) -> None:
        """After the largest rowid SQLite draws the next ones at random, by a generator that is not ours."""
        changed = self._connection.rules.changed_tables
        sqlite = self._connection.sqlite
        for (name,) in rows(sqlite, _TABLES):
            if name.lower() in changed and (rowid := rowid_name(sqlite, name)) is not None:
                ((largest,),) = rows(sqlite, f"SELECT max({rowid}) FROM {quoted(name)}")
                if largest == _LAST_ROWID:
                    raise Rejected(f"{_LAST_ROWID} can't be a rowid here: the next ones would be random")
