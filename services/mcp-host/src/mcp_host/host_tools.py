"""The tools of this distribution, and the ports that they ask for."""

from importlib.metadata import version

from agent_platform.entities.entities import Entities
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import Clock
from agent_tools.context import CallContext
from agent_tools.providers import Provider
from agent_tools.registry import Pack, Registry, families_in, tools_in
from agent_tools.running.models import CountedModels, ModelCallers
from mcp_host import tools
from mcp_host.calling.held_calls import HeldCalls
from mcp_host.calling.servers import AgentServers
from mcp_host.connecting.connections import Connections
from mcp_host.service import PACK


def discover() -> Registry:
    """Import all of them. Raises BrokenTools where one does not have the shape of a tool."""
    return Registry([Pack(PACK, version("mcp-host"), tuple(tools_in(tools)), families_in(tools))])


def host_ports(
    connections: Connections, entities: Entities, states: Bucket, held: HeldCalls, callers: ModelCallers
) -> tuple[Provider, ...]:
    """The agent's servers."""

    def servers(call: CallContext, clock: Clock) -> AgentServers:
        models = CountedModels(callers, call.spent)
        return AgentServers(connections, entities, states, held, clock, models, call)

    return (servers,)
