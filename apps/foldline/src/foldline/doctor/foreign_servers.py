"""What agents' MCP servers listed that can't be used."""

from collections.abc import Iterator

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.mcp_tools import McpTools
from agent_domain.mcp.offered_tools import escaped
from agent_platform.entities.entities import Entities
from foldline.doctor.finding import Finding, ok, warning

_MOST = 10


async def foreign_servers(entities: Entities) -> Finding:
    """Names the tools with their flaws; needs no server to run."""
    servers = await entities.list_of_everyone(EntityKind.MCP_TOOLS)
    flaws = [
        f"{one.key.name} (agent {one.key.agent_id}): {flaw}"
        for one in servers
        for flaw in _flaws(msgspec.convert(one.value, McpTools))
    ]
    if not flaws:
        return ok("MCP servers", f"{len(servers)} have listed tools, which can all be used")
    more = f"; and {len(flaws) - _MOST} more" if len(flaws) > _MOST else ""
    text = f"{'; '.join(flaws[:_MOST])}{more}"
    return warning("MCP servers", text, "the other tools work. Tell whoever makes the server")


def _flaws(tools: McpTools) -> Iterator[str]:
    for tool in tools.tools:
        if tool.flaw:
            yield f"the tool {escaped(tool.name)} can't be used: {escaped(tool.flaw)}"
    if tools.left_out:
        yield f"{tools.left_out} tools were left out: there is no room for them"
    if tools.incomplete:
        yield f"its list may not be complete: {escaped(tools.incomplete)}"
