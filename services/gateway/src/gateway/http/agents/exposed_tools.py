"""The agent's own tools that programs may run by MCP: read, write, versions, revert."""

from typing import Annotated

from fastapi import Query

from agent_contracts.api.tool_names import Exposed, ExposeTools
from agent_contracts.api.versions import Revert, Versions
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, AsOf, Older, Using
from gateway.http.wire.resource import resource

router = resource("agents", "/agents/{agent_id}/exposed-tools")


@router.get("", operation_id="getExposedTools")
async def read(operations: Using, agent_id: AgentPath, at: AsOf = None) -> Exposed:
    """Which tools are exposed to MCP clients now, or were after event `at`. Version 0: none ever was."""
    return await operations.exposed.read(agent_id, at)


@router.put("", operation_id="putExposedTools")
async def write(operations: Using, agent_id: AgentPath, body: ExposeTools, key: KeyHeader = None) -> Exposed:
    """Expose these tools of the agent's own, and no others. The same again makes no version."""
    exposed, request = operations.exposed, asked(key, body)
    if body.offered_as is None:
        return await exposed.write(agent_id, body.names, body.version, request)
    return await exposed.expose(agent_id, body.names, body.offered_as, body.version, request)


@router.get("/versions", operation_id="listExposedToolsVersions")
async def list_versions(
    operations: Using,
    agent_id: AgentPath,
    before: Older = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Versions:
    """Who exposed what, newest first."""
    return await operations.exposed.versions(agent_id, before, limit)


@router.post("/revert", operation_id="revertExposedTools")
async def revert(operations: Using, agent_id: AgentPath, body: Revert, key: KeyHeader = None) -> Exposed:
    """Expose what was exposed at an earlier version. Nothing is taken out of the history."""
    return await operations.exposed.revert(agent_id, body.target, asked(key, body))
