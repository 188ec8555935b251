"""An agent's database, as a person reads it."""

from typing import Any

import msgspec

from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.questions.user_questions import ReadDatabase
from gateway.operations.ports import KnownAgents, Runners
from gateway.queries.view import View


class DatabaseColumn(View):
    """A column as it was declared."""

    name: str
    type: str
    notnull: bool
    pk: bool


class DatabaseTable(View):
    """A table."""

    name: str
    columns: list[DatabaseColumn]
    row_count: int


class DatabaseTables(View):
    """By name."""

    tables: list[DatabaseTable]


class DatabaseRows(View):
    """What a statement gave; `truncated`: there were more rows.

    Integers beyond 2^53 are text, blobs `{"$base64": "…"}`; of a value that was cut there are the beginning
    and the size, in characters or bytes: `{"$cut": …, "size": …}`.
    """

    columns: list[str]
    rows: list[list[Any]]
    row_count: int
    truncated: bool


class Part(msgspec.Struct, frozen=True):
    """Which of a statement's rows are wanted, and how much of each value: characters, bytes of a blob."""

    skip: int = 0
    rows: int | None = None
    cell: int | None = None


class Databases:
    """Reads the databases of agents; nothing here changes one."""

    def __init__(self, agents: KnownAgents, runners: Runners) -> None:
        self._agents = agents
        self._runners = runners

    async def tables(self, agent_id: AgentId, at: int | None = None) -> DatabaseTables:
        """Its tables, their columns, and how many rows each has, now or after event `at`."""
        await self._agents.require(agent_id)
        return DatabaseTables.model_validate(await self._runners.read(ReadDatabase(agent_id, at=at)))

    async def query(
        self, agent_id: AgentId, sql: str, params: list[Json], at: int | None = None, part: Part | None = None
    ) -> DatabaseRows:
        """Run one statement that reads: 1000 rows at most, for 5 seconds at most."""
        await self._agents.require(agent_id)
        part = part or Part()
        asked = ReadDatabase(agent_id, sql, params, at, skip=part.skip, rows=part.rows, cell=part.cell)
        return DatabaseRows.model_validate(await self._runners.read(asked))
