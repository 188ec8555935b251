"""The agent's own tools that programs may run by MCP: read, write, versions, revert."""

from agent_contracts.api.tool_names import ExposedToolNames, ExposeTools
from gateway.http.things import ONE_OF_AGENT, named, things
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, Using
from gateway.http.wire.resource import resource

router = resource("agents", "/agents/{agent_id}/exposed-tools")
things(
    router,
    lambda operations: operations.exposed,
    ExposedToolNames,
    ("", AgentPath),
    named("ExposedTools", ONE_OF_AGENT),
    {"read": "Which tools are exposed to MCP clients now, or were after event `at`. Version 0: none was."},
)


@router.put("", operation_id="putExposedTools")
async def write(
    operations: Using, agent_id: AgentPath, body: ExposeTools, key: KeyHeader = None
) -> ExposedToolNames:
    """Expose these tools of the agent's own, and no others. The same again makes no version."""
    exposed, request = operations.exposed, asked(key, body)
    if body.offered_as is None:
        return await exposed.write(agent_id, body.names, body.version, request)
    return await exposed.expose(agent_id, body.names, body.offered_as, body.version, request)
