"""An agent's database, as a person reads it."""

from agent_contracts.api.database import DatabaseRows, DatabaseTable, QueryDatabase
from agent_contracts.api.wire import Page
from gateway.http.wire.parameters import AgentPath, AsOf, Using
from gateway.http.wire.resource import resource
from gateway.operations.agents.databases import RowWindow

router = resource("agents", "/agents/{agent_id}/database")


@router.get("", operation_id="getDatabase")
async def tables(operations: Using, agent_id: AgentPath, at: AsOf = None) -> Page[DatabaseTable]:
    """Its tables, their columns, and how many rows each has."""
    return await operations.databases.tables(agent_id, at)


@router.post(":query", operation_id="queryDatabase")
async def query(operations: Using, agent_id: AgentPath, body: QueryDatabase) -> DatabaseRows:
    """Run one statement that reads: 1000 rows at most, for 5 seconds at most. It changes nothing."""
    part = RowWindow(body.skip, body.rows, body.cell)
    return await operations.databases.query(agent_id, body.sql, body.params, body.at, part)
