"""The tools whose definitions an agent's models get with each request: read, write, versions, revert."""

from typing import Annotated

from fastapi import Query

from agent_contracts.api.tool_names import ChooseTools, ChosenTools
from agent_contracts.api.versions import Revert, Versions
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, AsOf, Older, Using
from gateway.http.wire.resource import resource

router = resource("agents", "/agents/{agent_id}/pinned-tools")


@router.get("", operation_id="getPinnedTools")
async def read(operations: Using, agent_id: AgentPath, at: AsOf = None) -> ChosenTools:
    """Which tools are pinned now, or were after event `at`. Version 0: nobody has pinned any yet."""
    return await operations.pins.read(agent_id, at)


@router.put("", operation_id="putPinnedTools")
async def write(
    operations: Using, agent_id: AgentPath, body: ChooseTools, key: KeyHeader = None
) -> ChosenTools:
    """Pin these tools, built-in or the agent's own, and no others. The same again makes no version."""
    return await operations.pins.write(agent_id, body.names, body.version, asked(key, body))


@router.get("/versions", operation_id="listPinnedToolsVersions")
async def list_versions(
    operations: Using,
    agent_id: AgentPath,
    before: Older = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Versions:
    """Who pinned and unpinned, newest first."""
    return await operations.pins.versions(agent_id, before, limit)


@router.post("/revert", operation_id="revertPinnedTools")
async def revert(operations: Using, agent_id: AgentPath, body: Revert, key: KeyHeader = None) -> ChosenTools:
    """Pin what was pinned at an earlier version. Nothing is taken out of the history."""
    return await operations.pins.revert(agent_id, body.target, asked(key, body))
