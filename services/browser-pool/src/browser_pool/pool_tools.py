"""The tools of this distribution."""

from importlib.metadata import version

from agent_tools.registry import Pack, Registry, families_in, tools_in
from agent_tools.running.call import Call
from agent_tools.tool import Tool
from browser_pool import tools
from browser_pool.service import PACK


def discover() -> Registry:
    """Import all of them. Raises BrokenTools where one does not have the shape of a tool."""
    return Registry([Pack(PACK, version("browser-pool"), tuple(tools_in(tools)), families_in(tools))])


class NoOwnTools:
    """`OwnTools` of a runner on which no agent's own tools run."""

    async def find(self, call: Call) -> Tool | None:
        """See `OwnTools`."""
        return None
