"""The tools whose definitions an agent's models get with each request: read, write, versions, revert."""

from agent_contracts.api.tool_names import ChooseTools, ChosenTools
from gateway.http.things import ONE_OF_AGENT, named, things
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, Using
from gateway.http.wire.resource import resource

router = resource("agents", "/agents/{agent_id}/pinned-tools")
things(
    router,
    lambda operations: operations.pins,
    ChosenTools,
    ("", AgentPath),
    named("PinnedTools", ONE_OF_AGENT),
    {"read": "Which tools are pinned now, or were after event `at`. Version 0: nobody has pinned any yet."},
)


@router.put("", operation_id="putPinnedTools")
async def write(
    operations: Using, agent_id: AgentPath, body: ChooseTools, key: KeyHeader = None
) -> ChosenTools:
    """Pin these tools, built-in or the agent's own, and no others. The same again makes no version."""
    return await operations.pins.write(agent_id, body.names, body.version, asked(key, body))
