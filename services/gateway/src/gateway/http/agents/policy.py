"""What an agent may do: read, write, versions, revert."""

from typing import Annotated

from fastapi import Query

from agent_contracts.api.policies import PolicyOfAgent, PolicyTrial, WritePolicy
from agent_contracts.api.versions import Revert, Versions
from agent_contracts.policies import Policy
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, AsOf, Older, Using
from gateway.http.wire.resource import resource

router = resource("agents", "/agents/{agent_id}/policy")


@router.get("", operation_id="getPolicy")
async def read(operations: Using, agent_id: AgentPath, at: AsOf = None) -> PolicyOfAgent:
    """The policy now, or after event `at`. Version 0: the preset *balanced*, which nobody has changed yet."""
    return await operations.policies.read(agent_id, at)


@router.put("", operation_id="putPolicy")
async def write(
    operations: Using, agent_id: AgentPath, body: WritePolicy, key: KeyHeader = None
) -> PolicyOfAgent:
    """This policy from now on; calls that models asked for before keep their verdicts."""
    return await operations.policies.write(agent_id, _policy(body), body.version, asked(key, body))


@router.post("/trial", operation_id="tryPolicy")
async def try_policy(operations: Using, agent_id: AgentPath, body: WritePolicy) -> PolicyTrial:
    """What this policy would have said of the newest 500 calls of the agent, beside what its policy says now.
    Nothing is written. What people allowed in a session is left aside, and so is what code of a call sent."""
    return await operations.policy_trials.tried(agent_id, _policy(body))


@router.get("/versions", operation_id="listPolicyVersions")
async def list_versions(
    operations: Using,
    agent_id: AgentPath,
    before: Older = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Versions:
    """Who changed it, newest first."""
    return await operations.policies.versions(agent_id, before, limit)


@router.post("/revert", operation_id="revertPolicy")
async def revert(
    operations: Using, agent_id: AgentPath, body: Revert, key: KeyHeader = None
) -> PolicyOfAgent:
    """The policy of an earlier version again. Nothing is taken out of the history."""
    return await operations.policies.revert(agent_id, body.target, asked(key, body))


def _policy(body: WritePolicy) -> Policy:
    return Policy(body.preset, tuple(body.rules))
