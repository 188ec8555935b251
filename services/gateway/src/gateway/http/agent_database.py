"""An agent's database, as a person reads it."""

from fastapi import APIRouter

from agent_contracts.user_questions import ReadDatabase
from gateway.deps import AgentPath, AsOf, Using
from gateway.http.agent_requests import QueryDatabase
from gateway.operations.agents.views import DatabaseRows, DatabaseTables

router = APIRouter(prefix="/agents/{agent_id}/database", tags=["agents"])


@router.get("", operation_id="getDatabase")
async def tables(deps: Using, agent_id: AgentPath, at: AsOf = None) -> DatabaseTables:
    """Its tables, their columns, and how many rows each has."""
    await deps.agents.require(agent_id)
    return DatabaseTables.model_validate(await deps.runners.read(ReadDatabase(agent_id, at=at)))


@router.post("/query", operation_id="queryDatabase")
async def query(deps: Using, agent_id: AgentPath, body: QueryDatabase) -> DatabaseRows:
    """Run one statement that reads: 1000 rows at most, for 5 seconds at most. It changes nothing."""
    await deps.agents.require(agent_id)
    asked = ReadDatabase(agent_id, body.sql, body.params, body.at)
    return DatabaseRows.model_validate(await deps.runners.read(asked))
