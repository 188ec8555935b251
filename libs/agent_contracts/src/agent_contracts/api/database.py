"""An agent's database."""

from typing import Annotated, Any

import msgspec

from agent_contracts.api.wire import Number, RequestBody, ResponseBody


class DatabaseColumn(ResponseBody, frozen=True, kw_only=True):
    """A column as it was declared."""

    name: str
    type: str
    notnull: bool
    pk: bool


class DatabaseTable(ResponseBody, frozen=True, kw_only=True):
    """A table."""

    name: str
    columns: list[DatabaseColumn]
    row_count: int


class DatabaseRows(ResponseBody, frozen=True, kw_only=True):
    """What a statement gave; `truncated`: there were more rows.

    Integers beyond 2^53 are text, blobs `{"$base64": "…"}`; of a value that was cut there are the beginning
    and the size, in characters or bytes: `{"$cut": …, "size": …}`.
    """

    columns: list[str]
    rows: list[list[Any]]
    row_count: int
    truncated: bool


class QueryDatabase(RequestBody, frozen=True, kw_only=True):
    """One SQLite statement that only reads, and the values for its `?`. With `at`, it is run on the database
    as it was after that event.

    The answer has `rows` rows after the first `skip`, and of each value the first `cell` characters (bytes
    of a blob).
    """

    sql: str
    params: list[Any] = msgspec.field(default_factory=list)
    at: Number | None = None
    skip: Annotated[int, msgspec.Meta(ge=0, le=10**9)] = 0
    rows: Annotated[int, msgspec.Meta(ge=1, le=1000)] | None = None
    cell: Annotated[int, msgspec.Meta(ge=1, le=1024 * 1024)] | None = None
