"""Tokens of MCP clients: programs that use one agent through the gateway's `/mcp`."""

import msgspec

from agent_contracts.api.mcp_clients import McpScope
from agent_contracts.ids import AgentId
from agent_domain.tokens.register import TokenRegister

MCP_TOKEN = "mt"


class McpToken(msgspec.Struct, frozen=True):
    """What a client may do that has it: this, with this agent. `token` is the SHA-256 of it."""

    created_at: str
    token: str
    agent_id: AgentId
    scopes: tuple[McpScope, ...]


class McpTokenRegister(TokenRegister[McpToken]):
    """Keeps them by name."""

    prefix = MCP_TOKEN
    noun = "MCP tokens"
    shape = McpToken
