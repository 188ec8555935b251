"""Events of an agent, one by one: what stands behind a version of something that it has."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Path

from gateway.deps import MAX_SEQUENCE, AgentPath, Using
from gateway.http.problems import Kind, ProblemError
from gateway.live.event_view import event_view
from gateway.queries.views import Event

router = APIRouter(tags=["agents"])


@router.get("/agents/{agent_id}/events/{sequence}", operation_id="getAgentEvent")
async def get_agent_event(
    deps: Using, agent_id: AgentPath, sequence: Annotated[int, Path(ge=1, le=MAX_SEQUENCE)]
) -> Event:
    """One event of the agent or of its sessions, as it stands in the log."""
    message = await deps.log.get(sequence)
    view = event_view(message) if message else None
    if view is None or view.agent_id != agent_id:
        raise ProblemError(Kind.NOT_FOUND, f"agent {agent_id} has no event {sequence}")
    return Event.model_validate(msgspec.structs.asdict(view))
