"""Events of an agent, one by one: what stands behind a version of something that it has."""

from typing import Annotated

from fastapi import Path

from agent_contracts.api.events import EventRecord
from agent_contracts.log.address import parse_address
from gateway.http.wire.parameters import AgentPath, Using
from gateway.http.wire.resource import resource

router = resource("agents")


@router.get("/agents/{agent_id}/events/{address}", operation_id="getAgentEvent")
async def get_agent_event(
    operations: Using,
    agent_id: AgentPath,
    address: Annotated[str, Path(description="Address of the event: `N` or `N.i`.")],
) -> EventRecord:
    """One event of the agent or of its sessions, as it stands in the log."""
    return await operations.events.of_agent(agent_id, parse_address(address))
