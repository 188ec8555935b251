"""What model calls cost."""

from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import Query

from agent_contracts.errors import Rejected
from gateway.http.wire.parameters import AgentFilter, MinSequence, Using
from gateway.http.wire.resource import resource
from gateway.operations.settings.spending import Spending
from gateway.queries.costs import Costs

router = resource("costs")


@router.get("/costs", operation_id="listCosts")
async def list_costs(
    operations: Using,
    agent_id: AgentFilter,
    days: Annotated[int, Query(ge=1, le=3660, description="so many, today among them")] = 30,
    timezone: Annotated[str, Query(max_length=64, description="an IANA name: where days begin")] = "UTC",
    min_sequence: MinSequence = None,
) -> Costs:
    """Tokens and known cost by day, agent and model, newest first."""
    try:
        ZoneInfo(timezone)
    except (KeyError, ValueError, OSError) as error:
        raise Rejected(f"{timezone!r} is not a time zone", kind="invalid_request") from error
    return await operations.reading.costs(agent_id, days, timezone, min_sequence)


@router.get("/spending", operation_id="getSpending")
async def get_spending(operations: Using, agent_id: AgentFilter = None) -> Spending:
    """What was spent on models today and in all, by all agents and by one, as the caps on spending count."""
    return await operations.spending.read(agent_id)
