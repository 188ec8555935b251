"""What an agent may do: read, write, versions, revert."""

from agent_contracts.api.policies import PolicyOfAgent, PolicyTrial, WritePolicy
from agent_contracts.policies import Policy
from gateway.http.things import ONE_OF_AGENT, named, things
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, Using
from gateway.http.wire.resource import resource

router = resource("agents", "/agents/{agent_id}/policy")
things(
    router,
    lambda operations: operations.policies,
    PolicyOfAgent,
    ("", AgentPath),
    named("Policy", ONE_OF_AGENT),
    {
        "read": "The policy now, or after event `at`. Version 0: the preset *balanced*, which nobody has\n"
        "changed yet."
    },
)


@router.put("", operation_id="putPolicy")
async def write(
    operations: Using, agent_id: AgentPath, body: WritePolicy, key: KeyHeader = None
) -> PolicyOfAgent:
    """This policy from now on; calls that models asked for before keep their verdicts."""
    return await operations.policies.write(agent_id, _policy(body), body.version, asked(key, body))


@router.post(":try", operation_id="tryPolicy")
async def try_policy(operations: Using, agent_id: AgentPath, body: WritePolicy) -> PolicyTrial:
    """What this policy would have said of the newest 500 calls of the agent, beside what its policy says now.
    Nothing is written. What people allowed in a session is left aside, and so is what code of a call sent."""
    return await operations.policy_trials.tried(agent_id, _policy(body))


def _policy(body: WritePolicy) -> Policy:
    return Policy(body.preset, tuple(body.rules))
