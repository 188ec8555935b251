"""The packs of tools that an agent has, and their settings: read, write, versions, revert."""

from typing import Annotated

from fastapi import Query

from agent_contracts.api.packs import EnablePacks, PacksOfAgent
from agent_contracts.api.versions import Revert, Versions
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, AsOf, Older, Using
from gateway.http.wire.resource import resource

router = resource("agents", "/agents/{agent_id}/packs")


@router.get("", operation_id="getPacks")
async def read(operations: Using, agent_id: AgentPath, at: AsOf = None) -> PacksOfAgent:
    """Which packs are enabled now, or were after event `at`, and which others are installed now. Version 0:
    nobody has enabled any yet."""
    return await operations.packs.read(agent_id, at)


@router.put("", operation_id="putPacks")
async def write(
    operations: Using, agent_id: AgentPath, body: EnablePacks, key: KeyHeader = None
) -> PacksOfAgent:
    """Enable these packs, in this order, and no others. Pages, skills and scheduled tasks that a pack brings
    come and go with it; what was changed since stays. `settings` say what is set of a pack, such as
    `{"protoagent": {"tools.disabled": ["calculator"]}}`. The same again makes no version."""
    return await operations.packs.write(agent_id, body.packs, body.version, asked(key, body), body.settings)


@router.get("/versions", operation_id="listPacksVersions")
async def list_versions(
    operations: Using,
    agent_id: AgentPath,
    before: Older = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Versions:
    """Who enabled and disabled packs, newest first."""
    return await operations.packs.versions(agent_id, before, limit)


@router.post("/revert", operation_id="revertPacks")
async def revert(operations: Using, agent_id: AgentPath, body: Revert, key: KeyHeader = None) -> PacksOfAgent:
    """Enable what was enabled at an earlier version. Nothing is taken out of the history."""
    return await operations.packs.revert(agent_id, body.target, asked(key, body))
