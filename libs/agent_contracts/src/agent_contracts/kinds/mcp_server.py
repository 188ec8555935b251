"""A foreign server of tools: only people write it (see `mcp_servers`)."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.mcp_servers import MOST_SERVERS, SERVER_NAME, McpServer
from agent_contracts.kinds.kind import BY_PEOPLE, ThingKind

MCP_SERVER: ThingKind[McpServer] = ThingKind(
    kind=EntityKind.MCP_SERVER,
    noun="MCP server",
    nouns="MCP servers",
    shape=McpServer,
    name=SERVER_NAME,
    most=MOST_SERVERS,
    writers=BY_PEOPLE,
    with_session=False,
    copied_by_probes=False,
    in_prompt=True,
    shown=False,
    has_row=False,
)
