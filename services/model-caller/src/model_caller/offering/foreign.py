"""What agents' foreign servers offer, as of an event: made once for what a person keeps of a server and what
it says."""

from collections.abc import Mapping, Sequence

from cachetools import LRUCache

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.mcp_servers import McpServer
from agent_contracts.entities.mcp_tools import FAMILY, McpTools
from agent_contracts.ids import AgentId
from agent_contracts.tool_spec import ToolSpec
from agent_domain.mcp.offered_tools import offered
from model_caller.offering.made_things import MadeThing

SERVERS = 2_000
"""Of how many servers the tools are remembered."""


class ForeignToolCache:
    """Remembers the tools that it made: the same server has the same objects, so that what follows from them
    is known, too."""

    def __init__(self) -> None:
        self._known: LRUCache[tuple[AgentId, str, int, int], tuple[ToolSpec, ...]] = LRUCache(SERVERS)

    def of(
        self, agent_id: AgentId, made: Mapping[EntityKind, Sequence[MadeThing]]
    ) -> tuple[tuple[ToolSpec, ...], tuple[str, ...]]:
        """The tools of all servers, and the names of those that are switched on."""
        listed = {one.known.name: one for one in made[EntityKind.MCP_TOOLS]}
        found: list[ToolSpec] = []
        names: list[str] = []
        for kept in made[EntityKind.MCP_SERVER]:
            name, server = kept.known.name, kept.foreign
            if not isinstance(server, McpServer) or not server.enabled:
                continue
            names.append(name)
            if name in listed:
                found += self._tools(agent_id, kept, listed[name])
        return tuple(found), tuple(names)

    def _tools(self, agent_id: AgentId, kept: MadeThing, listed: MadeThing) -> tuple[ToolSpec, ...]:
        key = (agent_id, kept.known.name, kept.written_at, listed.written_at)
        found = self._known.get(key)
        if found is None:
            assert isinstance(kept.foreign, McpServer)
            assert isinstance(listed.foreign, McpTools)
            specs = (one.spec for one in offered(kept.known.name, kept.foreign, listed.foreign))
            found = self._known[key] = tuple(specs)
        return found


def families(servers: Sequence[str]) -> Mapping[str, str]:
    """What the tools of each server are for: only it knows."""
    return {f"{FAMILY}{name}": "a foreign server's" for name in servers}
