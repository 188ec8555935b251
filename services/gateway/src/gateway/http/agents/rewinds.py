"""Rewinds of a whole agent."""

from typing import Annotated

from fastapi import Query

from agent_contracts.api.rewinds import AgentRewindPreview, AgentRewound, PreviewAgentRewind, RewindAgent
from agent_contracts.api.wire import Page
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import LIMIT, AgentPath, NumberCursor, Using
from gateway.http.wire.resource import resource
from gateway.operations.rewind.agent_rewinds import RewindScope

router = resource("rewind", "/agents/{agent_id}")


@router.post(":rewind-preview", operation_id="previewAgentRewind")
async def preview_agent_rewind(
    operations: Using, agent_id: AgentPath, body: PreviewAgentRewind
) -> AgentRewindPreview:
    """What would make the agent what it was after an event: all that anybody changed since, by kind."""
    return await operations.agent_previews.preview(agent_id, body.to)


@router.post(":rewind", operation_id="rewindAgent")
async def rewind_agent(
    operations: Using, agent_id: AgentPath, body: RewindAgent, key: KeyHeader = None
) -> AgentRewound:
    """Make the agent what it was after an event, all of it or what is `chosen`. Sessions stay, with their
    files and notepads. One event says so, and the rest follows from it, even if nobody waits for the answer.
    Nothing is deleted: to rewind the agent to that event (`sequence`) undoes it."""
    chosen = None if body.chosen is None else tuple(one.selection for one in body.chosen)
    return await operations.agent_rewinds.rewind(agent_id, RewindScope(body.to, chosen), asked(key, body))


@router.get("/rewinds", operation_id="listAgentRewinds")
async def list_agent_rewinds(
    operations: Using,
    agent_id: AgentPath,
    cursor: NumberCursor,
    limit: Annotated[int, Query(ge=1, le=200, description=LIMIT)] = 20,
) -> Page[AgentRewound]:
    """A page of the rewinds of the agent, newest first."""
    return await operations.agent_rewinds.list(agent_id, cursor, limit)
