"""The prompts of an agent's foreign servers (MCP)."""

from agent_contracts.api.mcp import McpPrompts
from gateway.http.wire.parameters import AgentPath, Using
from gateway.http.wire.resource import resource

router = resource("agents", "/agents/{agent_id}/mcp-prompts")


@router.get("", operation_id="listMcpPrompts")
async def list_prompts(operations: Using, agent_id: AgentPath) -> McpPrompts:
    """The prompts of the agent's servers, which are connected with for that, and which servers are silent.
    Say one by `POST /sessions/{session_id}/messages`."""
    return await operations.prompts.listed(agent_id)
