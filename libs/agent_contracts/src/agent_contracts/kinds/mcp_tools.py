"""What a foreign server says of its tools, by the server's name (see `mcp_tools`)."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.mcp_servers import SERVER_NAME
from agent_contracts.entities.mcp_tools import McpTools
from agent_contracts.event_sources import MCP_HOST, SERVICE
from agent_contracts.kinds.kind import ThingKind

MCP_TOOLS: ThingKind[McpTools] = ThingKind(
    kind=EntityKind.MCP_TOOLS,
    noun="MCP server's list of tools",
    nouns="MCP servers' lists of tools",
    shape=McpTools,
    name=SERVER_NAME,
    writers={MCP_HOST: SERVICE},
    stays="it came from outside",
    with_session=False,
    copied_by_probes=False,
    in_prompt=True,
    shown=False,
    has_row=False,
)
