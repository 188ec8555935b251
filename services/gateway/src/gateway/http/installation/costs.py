"""What model calls cost."""

from typing import Annotated

from fastapi import Query

from agent_contracts.api.usage import Costs, Spending
from agent_domain.schedules.zones import checked_zone
from gateway.http.wire.parameters import AgentFilter, MinSequence, Using
from gateway.http.wire.resource import resource

router = resource("costs")


@router.get("/costs", operation_id="listCosts")
async def list_costs(
    operations: Using,
    agent_id: AgentFilter,
    days: Annotated[int, Query(ge=1, le=3660, description="Number of days, today included.")] = 30,
    timezone: Annotated[
        str, Query(max_length=64, description="The IANA time zone whose midnight begins a day.")
    ] = "UTC",
    min_sequence: MinSequence = None,
) -> Costs:
    """Tokens and known cost by day, agent and model, newest first."""
    return await operations.reading.costs(agent_id, days, checked_zone(timezone), min_sequence)


@router.get("/spending", operation_id="getSpending")
async def get_spending(operations: Using, agent_id: AgentFilter = None) -> Spending:
    """What was spent on models today and in all, by all agents and by one, as the caps on spending count."""
    return await operations.spending.read(agent_id)
