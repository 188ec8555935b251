"""What statements may do, told by SQLite itself while it prepares them: its authorizer."""

import apsw

from agent_contracts.errors import Rejected

_CHANGES_DATA = frozenset({apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE})
_ALLOWED = frozenset(
    {
        *_CHANGES_DATA,
        apsw.SQLITE_DELETE,
        apsw.SQLITE_READ,
        apsw.SQLITE_SELECT,
        apsw.SQLITE_RECURSIVE,
        apsw.SQLITE_CREATE_TABLE,
        apsw.SQLITE_CREATE_INDEX,
        apsw.SQLITE_CREATE_TRIGGER,
        apsw.SQLITE_CREATE_VIEW,
        apsw.SQLITE_DROP_TABLE,
        apsw.SQLITE_DROP_INDEX,
        apsw.SQLITE_DROP_TRIGGER,
        apsw.SQLITE_DROP_VIEW,
        apsw.SQLITE_DROP_VTABLE,
        apsw.SQLITE_ALTER_TABLE,
        apsw.SQLITE_REINDEX,
        apsw.SQLITE_ANALYZE,
    }
)
_LOSES = frozenset({apsw.SQLITE_DROP_TABLE, apsw.SQLITE_DROP_VIEW, apsw.SQLITE_DROP_VTABLE})
_DROPS_COLUMN = "sqlite_drop_column"
"""The function of its own by which SQLite does `ALTER TABLE … DROP COLUMN`."""
_OF_SQLITE = "sqlite_"
_REFUSED = {
    apsw.SQLITE_ATTACH: "ATTACH and VACUUM are not available: the database is one file of its own",
    apsw.SQLITE_DETACH: "DETACH is not available: the database is one file of its own",
    apsw.SQLITE_TRANSACTION: "transactions are not available: each statement is one of its own",
    apsw.SQLITE_SAVEPOINT: "savepoints are not available: each statement is a transaction of its own",
    apsw.SQLITE_CREATE_TEMP_TABLE: "temporary tables are not available: use WITH, or an ordinary table",
    apsw.SQLITE_CREATE_TEMP_INDEX: "temporary indexes are not available",
    apsw.SQLITE_CREATE_TEMP_TRIGGER: "temporary triggers are not available",
    apsw.SQLITE_CREATE_TEMP_VIEW: "temporary views are not available: use WITH, or an ordinary view",
}
_VIRTUAL_TABLES = frozenset({"fts5", "fts5vocab", "rtree", "rtree_i32"})
_READING_PRAGMAS = frozenset(
    {
        "table_info",
        "table_xinfo",
        "table_list",
        "index_list",
        "index_info",
        "index_xinfo",
        "foreign_key_list",
        "foreign_key_check",
        "integrity_check",
        "quick_check",
    }
)
"""Those that read whatever they are given."""
_READABLE_PRAGMAS = frozenset({"user_version", "application_id", "encoding", "foreign_keys"})
"""Those that read when nothing is given."""
_NO_FUNCTIONS = {
    "load_extension": "load_extension() is not available",
    "fts3_tokenizer": "fts3_tokenizer() is not available",
    "sqlite_log": "sqlite_log() is not available",
    "json_patch": "json_patch() is not available: use json_set() and json_remove()",
    "jsonb_patch": "jsonb_patch() is not available: use jsonb_set() and jsonb_remove()",
    "changes": "changes() is not available: each write returns how many rows it changed",
    "total_changes": "total_changes() is not available: each write returns how many rows it changed",
}
_NOT_IN_WRITES = frozenset(
    {
        "sqlite_version",
        "sqlite_source_id",
        "sqlite_compileoption_get",
        "sqlite_compileoption_used",
        "fts5_source_id",
    }
)
"""What differs from one version of SQLite to another can't be written: a replay may be by a later one."""
_HIDDEN_TABLES = frozenset({"dbstat"})
_PRAGMA_TABLE = "pragma_"
_STATISTICS = "sqlite_stat"


class Rules:
    """The authorizer of one connection. `writing` says that what it prepares will be run as a write.

    `changed_tables` are those that the statement it saw last inserts into or updates, triggers included;
    `drops`: it drops a table, a view or a column; `emptied` are the tables from which it deletes rows.
    While `off`, everything may be done: for what we run ourselves, and for what was accepted before.
    """

    def __init__(self) -> None:
        self.off = True
        self.writing = False
        self.forget()

    def forget(self) -> None:
        """A new statement is about to be prepared."""
        self.changed_tables: set[str] = set()
        self.drops = False
        self.emptied: set[str] = set()

    def __call__(self, action: int, one: str | None, two: str | None, *_where: str | None) -> int:
        """Allow it, or raise `Rejected(kind="blocked")`, which ends the preparation."""
        if self.off:
            return apsw.SQLITE_OK
        name = (one or "").lower()
        if action == apsw.SQLITE_FUNCTION:
            self.drops = self.drops or two == _DROPS_COLUMN
            self._check_function((two or "").lower())
        elif action == apsw.SQLITE_PRAGMA:
            _check_pragma(name, two)
        elif action == apsw.SQLITE_CREATE_VTABLE:
            if (two or "").lower() not in _VIRTUAL_TABLES:
                raise _blocked(f"virtual tables are available of {', '.join(sorted(_VIRTUAL_TABLES))} only")
        elif action not in _ALLOWED:
            raise _blocked(_REFUSED.get(action) or f"{_name_of(action)} is not available")
        elif action == apsw.SQLITE_READ:
            _check_table(name)
        elif action in _LOSES:
            self.drops = True
        elif action == apsw.SQLITE_DELETE:
            self.emptied |= set() if name.startswith(_OF_SQLITE) else {name}
        elif action in _CHANGES_DATA:
            if name.startswith(_STATISTICS):
                raise _blocked("statistics are made by ANALYZE")
            self.changed_tables.add(name)
        return apsw.SQLITE_OK

    def _check_function(self, name: str) -> None:
        if name in _NO_FUNCTIONS:
            raise _blocked(_NO_FUNCTIONS[name])
        if self.writing and name in _NOT_IN_WRITES:
            raise _blocked(f"{name}() can't be used in a write: it differs from one version to another")


def _check_table(name: str) -> None:
    if name in _HIDDEN_TABLES:
        raise _blocked(f"the table {name} is not available")
    if name.startswith(_PRAGMA_TABLE):
        _check_pragma(name.removeprefix(_PRAGMA_TABLE), None)


def _check_pragma(name: str, value: str | None) -> None:
    if name in _READING_PRAGMAS or (name in _READABLE_PRAGMAS and value is None):
        return
    readable = ", ".join(sorted(_READING_PRAGMAS | _READABLE_PRAGMAS))
    raise _blocked(f"PRAGMA {name} is not available, only those that read: {readable}")


def _name_of(action: int) -> str:
    return str(apsw.mapping_authorizer_function[action]).removeprefix("SQLITE_").replace("_", " ")


def _blocked(message: str) -> Rejected:
    return Rejected(message, kind="blocked", path="/sql")
