"""Restores of a whole agent."""

from gateway.http.agents.restore_requests import Restore, RestoreTo
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, Using
from gateway.http.wire.resource import resource
from gateway.operations.restoring.restores import AgentRestored, AgentRestores, Back
from gateway.queries.restorable import RestorePreview

router = resource("rewind", "/agents/{agent_id}")


@router.post("/restore-preview", operation_id="previewRestore")
async def preview_restore(operations: Using, agent_id: AgentPath, body: RestoreTo) -> RestorePreview:
    """What would make the agent what it was after an event: all that anybody changed since, by kind."""
    return await operations.restore_previews.preview(agent_id, body.to)


@router.post("/restore", operation_id="restoreAgent")
async def restore_agent(
    operations: Using, agent_id: AgentPath, body: Restore, key: KeyHeader = None
) -> AgentRestored:
    """Make the agent what it was after an event, all of it or `parts`. Sessions stay, with their files and
    notepads. One event says so, and the rest follows from it, even if nobody waits for the answer. Nothing is
    deleted: to restore the agent to that event (`sequence`) undoes it."""
    chosen = None if body.parts is None else tuple(one.chosen for one in body.parts)
    return await operations.restores.restore(agent_id, Back(body.to, chosen), asked(key, body))


@router.get("/restores", operation_id="listRestores")
async def list_restores(operations: Using, agent_id: AgentPath) -> AgentRestores:
    """The newest restores of the agent, at most 20."""
    return await operations.restores.list(agent_id)
