"""Who uses an agent by MCP."""

import msgspec

from agent_contracts.ids import AgentId
from agent_domain.mcp_clients.tokens import McpScope


class McpClient(msgspec.Struct, frozen=True):
    """The holder of a token, by its name: which agent it may use, and for what."""

    name: str
    agent_id: AgentId
    scopes: tuple[McpScope, ...]
