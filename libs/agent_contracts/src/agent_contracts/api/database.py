"""An agent's database."""

from typing import Annotated, Any

import msgspec

from agent_contracts.api.wire import Number, RequestBody, ResponseBody


class DatabaseColumn(ResponseBody, frozen=True, kw_only=True):
    """A column of a table, as it was declared."""

    name: str
    """The column's name."""
    type: str
    """The declared SQL type, such as `TEXT`; empty: none was declared."""
    notnull: bool
    """Declared `NOT NULL`."""
    pk: bool
    """Part of the primary key."""


class DatabaseTable(ResponseBody, frozen=True, kw_only=True):
    """A table of the agent's database."""

    name: str
    """The table's name."""
    columns: list[DatabaseColumn]
    """Its columns, in their declared order."""
    row_count: int
    """Number of its rows."""


class DatabaseRows(ResponseBody, frozen=True, kw_only=True):
    """What a statement returned.

    Integers beyond 2^53 are text, blobs `{"$base64": "…"}`. A value that was cut has its beginning and its
    size in characters or bytes: `{"$cut": …, "size": …}`.
    """

    columns: list[str]
    """The names of the columns."""
    rows: list[list[Any]]
    """The rows, each a list of values in the order of `columns`."""
    row_count: int
    """Number of rows in this answer."""
    truncated: bool
    """Whether the statement has more rows."""


class QueryDatabase(RequestBody, frozen=True, kw_only=True):
    """One SQLite statement that only reads."""

    sql: str
    """The SQL statement."""
    params: list[Any] = msgspec.field(default_factory=list)
    """The values for its `?`, in order."""
    at: Number | None = None
    """Number of an event: the statement runs on the database as of then. Left out: as it is now."""
    skip: Annotated[int, msgspec.Meta(ge=0, le=10**9)] = 0
    """Number of rows to leave out at the beginning."""
    rows: Annotated[int, msgspec.Meta(ge=1, le=1000)] | None = None
    """The greatest number of rows to answer. Left out: the server's own limit."""
    cell: Annotated[int, msgspec.Meta(ge=1, le=1024 * 1024)] | None = None
    """The greatest length of each value, in characters (bytes for a blob). Left out: the server's own
    limit."""
