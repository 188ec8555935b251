"""The other agents and models that an agent may hand work to: read, write, versions, revert."""

from agent_contracts.api.delegates import DelegatesOfAgent, TriedDelegate, WriteDelegates
from gateway.http.things import ONE_OF_AGENT, named, things
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, NamePath, Using
from gateway.http.wire.resource import resource

router = resource("agents", "/agents/{agent_id}/delegates")
things(
    router,
    lambda operations: operations.delegates,
    DelegatesOfAgent,
    ("", AgentPath),
    named("Delegates", ONE_OF_AGENT),
    {"read": "Which there are now, or were after event `at`. Version 0: nobody has named any yet."},
)


@router.put("", operation_id="putDelegates")
async def write(
    operations: Using, agent_id: AgentPath, body: WriteDelegates, key: KeyHeader = None
) -> DelegatesOfAgent:
    """Let there be these, and no others. A secret is named, never given: it must be the agent's, for the
    delegate's host. The same again makes no version."""
    return await operations.delegates.write(agent_id, body.delegates, body.version, asked(key, body))


@router.post("/{name}:test", operation_id="testDelegate")
async def test(operations: Using, agent_id: AgentPath, name: NamePath) -> TriedDelegate:
    """Ask it a short question, really, as the agent would; what it answers, or why it doesn't."""
    return await operations.delegates.try_out(agent_id, name)
