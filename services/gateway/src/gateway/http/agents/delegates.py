"""The other agents and models that an agent may hand work to: read, write, versions, revert."""

from typing import Annotated

from fastapi import Query

from agent_contracts.api.delegates import DelegatesOfAgent, TriedDelegate, WriteDelegates
from agent_contracts.api.versions import Revert, Versions
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, AsOf, Older, Using
from gateway.http.wire.resource import resource

router = resource("agents", "/agents/{agent_id}/delegates")


@router.get("", operation_id="getDelegates")
async def read(operations: Using, agent_id: AgentPath, at: AsOf = None) -> DelegatesOfAgent:
    """Which there are now, or were after event `at`. Version 0: nobody has named any yet."""
    return await operations.delegates.read(agent_id, at)


@router.put("", operation_id="putDelegates")
async def write(
    operations: Using, agent_id: AgentPath, body: WriteDelegates, key: KeyHeader = None
) -> DelegatesOfAgent:
    """Let there be these, and no others. A secret is named, never given: it must be the agent's, for the
    delegate's host. The same again makes no version."""
    return await operations.delegates.write(agent_id, body.delegates, body.version, asked(key, body))


@router.post("/{name}/test", operation_id="testDelegate")
async def test(operations: Using, agent_id: AgentPath, name: str) -> TriedDelegate:
    """Ask it a short question, really, as the agent would; what it answers, or why it doesn't."""
    return await operations.delegates.try_out(agent_id, name)


@router.get("/versions", operation_id="listDelegatesVersions")
async def list_versions(
    operations: Using,
    agent_id: AgentPath,
    before: Older = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Versions:
    """Who changed them and when, newest first."""
    return await operations.delegates.versions(agent_id, before, limit)


@router.post("/revert", operation_id="revertDelegates")
async def revert(
    operations: Using, agent_id: AgentPath, body: Revert, key: KeyHeader = None
) -> DelegatesOfAgent:
    """Make an earlier version the newest. Nothing is taken out of the history."""
    return await operations.delegates.revert(agent_id, body.target, asked(key, body))
