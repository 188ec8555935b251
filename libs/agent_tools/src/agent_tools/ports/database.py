"""The agent's database."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import msgspec

from agent_contracts.json_value import Json

BeforeLoss = Callable[[], Awaitable[None]]
"""Asked before a statement that drops something or empties a table is kept. Raises where it may not be."""


class SqlAnswer(msgspec.Struct, frozen=True):
    """What a statement gave, as JSON. `columns` is None for one that returns no rows; the last two are None
    for one that only reads."""

    columns: list[str] | None
    rows: list[list[Json]]
    truncated: bool
    changes: int | None = None
    last_insert_rowid: int | None = None


class AgentColumn(msgspec.Struct, frozen=True):
    """A column as it was declared; `pk`: it is part of the primary key."""

    name: str
    type: str
    notnull: bool
    pk: bool


class AgentTable(msgspec.Struct, frozen=True):
    """A table, and how many rows it has."""

    name: str
    columns: list[AgentColumn]
    row_count: int


class AgentDatabase(Protocol):
    """The agent's SQLite database."""

    async def sql(
        self, statement: str, params: Sequence[Json], before_loss: BeforeLoss | None = None
    ) -> SqlAnswer:
        """Run one statement. Where `before_loss` raises, nothing was written. `Rejected` with the kind and
        path that the model is told."""
        ...

    async def tables(self) -> list[AgentTable]:
        """Every table."""
        ...
