"""One connection to a copy of an agent's database: what may be prepared there, and how far it may run."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import apsw
import msgspec

from agent_contracts.errors import Rejected
from tool_runner.agent_db import limits
from tool_runner.agent_db.failures import failure_of
from tool_runner.agent_db.functions import MomentFunctions
from tool_runner.agent_db.moment import Moment
from tool_runner.agent_db.rules import Rules
from tool_runner.agent_db.values import CutValue, SqlValue, cut, size_of

_STEPS_BETWEEN_LOOKS = 10_000
"""Steps of SQLite's machine, some 0.3 ms, between two looks at the clock."""
_LIMITS = {
    apsw.SQLITE_LIMIT_LENGTH: limits.VALUE_BYTES,
    apsw.SQLITE_LIMIT_SQL_LENGTH: limits.SQL_BYTES,
    apsw.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: limits.PATTERN_BYTES,
    apsw.SQLITE_LIMIT_TRIGGER_DEPTH: 100,
    apsw.SQLITE_LIMIT_ATTACHED: 0,
    apsw.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_LOCKED_MS = 5_000
"""How long to wait for the moment in which another connection begins the file's write-ahead log."""
_NO_PAGE_LIMIT = 2**32 - 2


class StatementDeadline:
    """When a statement must end: some seconds after `limit`, or when it is told to. Never, by default."""

    def __init__(self) -> None:
        self._deadline: float | None = None
        self.told = False

    def limit(self, seconds: float) -> "StatementDeadline":
        """From now on it has so many seconds left."""
        self._deadline = time.monotonic() + seconds
        return self

    def is_due(self) -> bool:
        """Whether to end now."""
        return self.told or (self._deadline is not None and time.monotonic() > self._deadline)


class PreparedStatement(msgspec.Struct, frozen=True):
    """What SQLite says of a statement. `text` is what it takes of the input: without what follows."""

    text: str
    reads: bool


class Window(msgspec.Struct, frozen=True):
    """Which of a statement's rows are wanted, and how much of each value: characters, bytes of a blob."""

    skip: int = 0
    rows: int = limits.ROWS
    cell: int | None = None


WHOLE = Window()


class StatementResult(msgspec.Struct, frozen=True):
    """What a statement gave. `columns` is empty for one that returns nothing."""

    columns: tuple[str, ...]
    rows: list[tuple[SqlValue | CutValue, ...]]
    truncated: bool
    changes: int
    last_insert_rowid: int


class SqlConnection:
    """A connection; one thread at a time uses it."""

    def __init__(self, path: Path, *, reads_only: bool, most_bytes: int = limits.DATABASE_BYTES) -> None:
        """`most_bytes` is how large the database may become while its size is limited; 0: no limit."""
        flags = (
            apsw.SQLITE_OPEN_READONLY if reads_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        )
        self.sqlite = apsw.Connection(str(path), flags=flags, statementcachesize=0)
        self.sqlite.set_busy_timeout(_LOCKED_MS)
        self.rules = Rules()
        self._most_bytes = most_bytes
        self._stop = StatementDeadline()
        for option in (apsw.SQLITE_DBCONFIG_DEFENSIVE, apsw.SQLITE_DBCONFIG_ENABLE_FKEY):
            self.sqlite.config(option, 1)
        self.sqlite.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        for limit, value in _LIMITS.items():
            self.sqlite.limit(limit, value)
        self._functions = MomentFunctions(self.sqlite)
        self.sqlite.authorizer = self.rules
        self.sqlite.set_progress_handler(lambda: self._stop.is_due(), _STEPS_BETWEEN_LOOKS)

    def close(self) -> None:
        """End it, an open transaction with it."""
        self.sqlite.close(True)
        self._functions.close()

    def prepare(self, sql: str, values: Sequence[SqlValue], stop: StatementDeadline) -> PreparedStatement:
        """Look at a statement without running it.

        Raises `Rejected`: of kind `blocked` for one that may not be run, else `invalid_arguments`.
        """
        if "\x00" in sql:
            raise _invalid("a statement can't have U+0000 in it")
        self._learn_schema()
        self.rules.forget()
        self.rules.off, self.rules.writing = False, False
        self._stop = stop  # views upon views can take long to prepare
        try:
            first = self._traced(sql, values)
            if not first.is_statement:
                raise _invalid("it contains no statement")
            if not first.reads:
                self.rules.writing = True
                self.rules.forget()
                self._traced(first.text, values)
            self._check_rest(sql.encode()[len(first.text.encode()) :].decode())
        finally:
            self._stop = StatementDeadline()
            self.rules.off = True
        return PreparedStatement(first.text, first.reads)

    def run(  # noqa: PLR0913 — a statement, what it sees, and what bounds it
        self,
        statement: str,
        values: Sequence[SqlValue],
        moment: Moment,
        stop: StatementDeadline,
        last_rowid: int,
        window: Window = WHOLE,
    ) -> StatementResult:
        """Run one statement to its end. `last_rowid` is what `last_insert_rowid()` is before it.

        Raises the failure that it met; then, within a transaction, what it did is still to be rolled back.
        """
        self._functions.at(moment)
        self.sqlite.set_last_insert_rowid(last_rowid)
        self._stop = stop
        before = self.sqlite.total_changes()
        cursor = self.sqlite.cursor()
        columns: list[str] = []
        cursor.exec_trace = _columns_into(columns)
        rows: list[tuple[SqlValue | CutValue, ...]] = []
        size, truncated = 0, False
        try:
            for number, whole in enumerate(cursor.execute(statement, tuple(values), can_cache=False)):
                if number < window.skip:
                    continue
                row = whole if window.cell is None else tuple(cut(one, window.cell) for one in whole)
                size += sum(map(size_of, row))
                if truncated or len(rows) == window.rows or (rows and size > limits.RESULT_BYTES):
                    truncated = True
                    if cursor.is_readonly:
                        break
                    continue  # a write must come to its end
                rows.append(row)
        except (apsw.Error, UnicodeDecodeError) as error:
            raise failure_of(error, preparing=False, most_bytes=self._most_bytes) from error
        finally:
            self._stop = StatementDeadline()
            cursor.close(True)
        changed = self.sqlite.total_changes() > before
        changes = self.sqlite.changes() if changed else 0
        return StatementResult(tuple(columns), rows, truncated, changes, self.sqlite.last_insert_rowid())

    def _learn_schema(self) -> None:
        """Have SQLite see what other connections changed of the schema. It prepares with what it knows, and
        looks only when a statement runs: until then a trigger just made is none to `DROP … IF EXISTS`."""
        try:
            self.sqlite.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
        except apsw.Error as error:
            raise failure_of(error, preparing=True, most_bytes=self._most_bytes) from error

    def limit_size(self, limited: bool) -> None:
        """Whether the database may not grow beyond its limit."""
        pages = self._most_bytes // limits.PAGE_BYTES if limited and self._most_bytes else _NO_PAGE_LIMIT
        self.sqlite.execute(f"PRAGMA max_page_count = {pages}")

    def _traced(self, sql: str, values: Sequence[SqlValue]) -> "_Traced":
        seen: list[_Traced] = []

        def look(cursor: apsw.Cursor, first: str, _bindings: Any) -> bool:
            reads = cursor.is_readonly or cursor.is_explain > 0
            seen.append(_Traced(first, reads, cursor.has_vdbe))
            return False

        cursor = self.sqlite.cursor()
        cursor.exec_trace = look
        try:
            cursor.execute(sql, tuple(values), can_cache=False)
        except apsw.ExecTraceAbort:
            pass
        except apsw.Error as error:
            raise failure_of(error, preparing=True, most_bytes=self._most_bytes) from error
        finally:
            cursor.close(True)
        return seen[0]

    def _check_rest(self, rest: str) -> None:
        """After one statement only white space and comments may follow: SQLite says what those are."""
        while rest.strip():
            try:
                more = self._traced(rest, ())
            except Rejected:
                more = None
            if more is None or more.is_statement:
                raise _invalid("one statement at a time")
            rest = rest.encode()[len(more.text.encode()) :].decode() if more.text else ""


class _Traced(msgspec.Struct, frozen=True):
    text: str
    reads: bool
    is_statement: bool


def _columns_into(columns: list[str]) -> Callable[[apsw.Cursor, str, Any], bool]:
    def look(cursor: apsw.Cursor, _statement: str, _bindings: Any) -> bool:
        columns.extend(column[0] for column in cursor.get_description())
        return True

    return look


def _invalid(message: str) -> Rejected:
    return Rejected(message, kind="invalid_arguments", path="/sql")
