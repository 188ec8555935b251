"""An agent's database, as a person reads it."""

import msgspec

from agent_contracts.api.database import DatabaseRows, DatabaseTable
from agent_contracts.api.wire import Page
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.questions.user_questions import ReadDatabase
from gateway.operations.ports import KnownAgents, Runners


class RowWindow(msgspec.Struct, frozen=True):
    """Which of a statement's rows are wanted, and how much of each value: characters, bytes of a blob."""

    skip: int = 0
    rows: int | None = None
    cell: int | None = None


class Databases:
    """Reads the databases of agents; nothing here changes one."""

    def __init__(self, agents: KnownAgents, runners: Runners) -> None:
        self._agents = agents
        self._runners = runners

    async def tables(self, agent_id: AgentId, at: int | None = None) -> Page[DatabaseTable]:
        """Its tables, their columns, and how many rows each has, now or after event `at`."""
        await self._agents.require(agent_id)
        found = await self._runners.read(ReadDatabase(agent_id, at=at))
        return Page[DatabaseTable](items=msgspec.convert(found["tables"], list[DatabaseTable]))

    async def query(
        self,
        agent_id: AgentId,
        sql: str,
        params: list[Json],
        at: int | None = None,
        part: RowWindow | None = None,
    ) -> DatabaseRows:
        """Run one statement that reads: 1000 rows at most, for 5 seconds at most."""
        await self._agents.require(agent_id)
        part = part or RowWindow()
        asked = ReadDatabase(agent_id, sql, params, at, skip=part.skip, rows=part.rows, cell=part.cell)
        return msgspec.convert(await self._runners.read(asked), DatabaseRows)
