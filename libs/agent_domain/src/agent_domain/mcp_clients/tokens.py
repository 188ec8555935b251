"""Tokens of MCP clients: programs that use one agent through the gateway's `/mcp`."""

from enum import StrEnum

import msgspec

from agent_contracts.ids import AgentId
from agent_domain.tokens.register import TokenRegister

MCP_TOKEN = "mt"


class McpScope(StrEnum):
    """What a client may do with the agent."""

    READ = "read"
    """List and read sessions, events, states, files and skills."""
    ASK = "ask"
    """Say something to the agent, in a new session or one that is there."""
    REWIND = "rewind"
    """Fork sessions. Going back stays with people; what it would undo is `read`."""
    TOOLS = "tools"
    """Run the agent's own tools that a person exposed."""


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
