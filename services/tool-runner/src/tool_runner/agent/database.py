"""An agent's database, as one tool call reads and writes it."""

from collections.abc import Sequence

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_tools.context import CallContext
from agent_tools.ports.database import AgentTable, BeforeLoss, SqlAnswer
from tool_runner.agent_db.connection import WHOLE, StatementResult, Window
from tool_runner.agent_db.databases import AgentDatabases
from tool_runner.agent_db.failures import CopyUnusable
from tool_runner.agent_db.values import to_json, to_sql


class StoredDatabase:
    """An `AgentDatabase` of which every runner keeps copies."""

    def __init__(self, databases: AgentDatabases, call: CallContext) -> None:
        self._databases = databases
        self._agent_id = call.agent_id
        self._writers = call.writers
        self._outside = call.outside

    async def sql(
        self, statement: str, params: Sequence[Json], before_loss: BeforeLoss | None = None
    ) -> SqlAnswer:
        """See `AgentDatabase`."""
        writer = self._writers.next()
        database = await self._databases.of(self._agent_id)
        try:
            ran, wrote = await database.execute(statement, params, writer, before_loss)
        except CopyUnusable:  # another is made
            ran, wrote = await database.execute(statement, params, writer, before_loss)
        if ran.columns or not wrote:
            self._outside.bring(*database.outside)
        return _answer(ran, wrote)

    async def tables(self) -> list[AgentTable]:
        """See `AgentDatabase`."""
        database = await self._databases.of(self._agent_id)
        tables = await database.tables()
        self._outside.bring(*database.outside)
        return tables


class ReadOnlyDatabase:
    """An `AgentDatabase` for whoever may only read: now, or as of event `at` of the log."""

    def __init__(
        self, databases: AgentDatabases, agent_id: AgentId, at: int | None, window: Window = WHOLE
    ) -> None:
        self._databases = databases
        self._agent_id = agent_id
        self._at = at
        self._window = window

    async def sql(
        self, statement: str, params: Sequence[Json], before_loss: BeforeLoss | None = None
    ) -> SqlAnswer:
        """Run one reading statement. `Rejected(kind="blocked")` for one that writes."""
        database = await self._databases.of(self._agent_id)
        if self._at is None:
            ran = await database.read(statement, params, self._window)
        else:
            values = to_sql(params)
            async with database.as_of(self._at) as past:
                ran = await past.read(statement, values, self._window)
        if ran is None:
            message = "only statements that read can be run here: ask the agent to write"
            raise Rejected(message, kind=ErrorKind.BLOCKED, path="/sql")
        return _answer(ran, wrote=False)

    async def tables(self) -> list[AgentTable]:
        """See `AgentDatabase`."""
        database = await self._databases.of(self._agent_id)
        if self._at is None:
            return await database.tables()
        async with database.as_of(self._at) as past:
            return await past.tables()


def _answer(ran: StatementResult, wrote: bool) -> SqlAnswer:
    return SqlAnswer(
        columns=list(ran.columns) if ran.columns or not wrote else None,
        rows=[[to_json(value) for value in row] for row in ran.rows],
        truncated=ran.truncated,
        changes=ran.changes if wrote else None,
        last_insert_rowid=ran.last_insert_rowid if wrote else None,
    )
