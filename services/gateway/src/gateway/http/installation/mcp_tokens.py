"""Tokens of the programs that may use an agent by MCP."""

from typing import Annotated

from fastapi import Path

from agent_contracts.api.mcp_clients import AllowedMcpClient, MadeMcpToken, NewMcpToken, RevokedMcpToken
from agent_contracts.api.wire import Page
from agent_contracts.ids import AgentId
from gateway.http.wire.parameters import AgentFilter, Using
from gateway.http.wire.resource import resource

router = resource("mcp", "/mcp-tokens")

NamePath = Annotated[
    str, Path(max_length=64, description="Name of the client: 1 to 24 of a-z, 0-9 and `-`, a letter first.")
]


@router.get("", operation_id="listMcpTokens")
async def list_tokens(operations: Using, agent_id: AgentFilter) -> Page[AllowedMcpClient]:
    """The programs that may use an agent by MCP; of one agent, or of all."""
    return await operations.mcp_tokens.list(agent_id)


@router.post("", status_code=201, operation_id="createMcpToken")
async def create(operations: Using, body: NewMcpToken) -> MadeMcpToken:
    """Let a program use an agent. The token is shown this once."""
    return await operations.mcp_tokens.create(body.name, AgentId(body.agent_id), body.scopes)


@router.delete("/{name}", operation_id="revokeMcpToken")
async def revoke(operations: Using, name: NamePath) -> RevokedMcpToken:
    """Let a program use the agent no longer, at once."""
    return await operations.mcp_tokens.revoke(name)
