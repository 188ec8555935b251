"""A person's login at a foreign server: begun, and ended. They come back by `gateway.door.mcp_login`."""

from fastapi import Request

from agent_contracts.api.mcp import McpLoginBegun, McpLoginEnded
from gateway.http.agents.mcp_servers import ServerPath
from gateway.http.wire.parameters import AgentPath, Using
from gateway.http.wire.public_path import prefix_of
from gateway.http.wire.resource import resource

router = resource("agents", "/agents/{agent_id}/mcp-servers/{name}")


@router.post(":log-in", operation_id="beginMcpLogin")
async def begin(request: Request, operations: Using, agent_id: AgentPath, name: ServerPath) -> McpLoginBegun:
    """Find out where one logs in for this server. Whoever opens the address has ten minutes."""
    here = f"{request.url.scheme}://{request.headers['host']}{prefix_of(request.scope)}"
    return await operations.mcp_logins.begin(agent_id, name, here)


@router.post(":log-out", operation_id="endMcpLogin")
async def end(operations: Using, agent_id: AgentPath, name: ServerPath) -> McpLoginEnded:
    """Log out: forget the tokens, and ask the authorization server to make them worthless."""
    return await operations.mcp_logins.end(agent_id, name)
