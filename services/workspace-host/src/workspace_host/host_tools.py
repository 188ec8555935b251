"""The tools that run here: those of this distribution, and those of installed packs that run commands."""

from collections.abc import Iterable
from importlib.metadata import EntryPoint, version

import msgspec

from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from agent_tools.registry import Pack, Registry, families_in, installed_packs, tools_in
from agent_tools.tool import Tool
from workspace_host import tools
from workspace_host.isolation.isolation import Isolation
from workspace_host.service import PACK


def own_pack(isolation: Isolation | None = None) -> Pack:
    """The tools of this distribution, as they are published where commands are isolated so well.

    Without namespaces all of them act on the outside world, also those that only look: so *balanced* asks for
    each. In host mode a person is asked for each whatever a policy says.
    """
    found = tuple(_as_isolated(tool, isolation) for tool in tools_in(tools))
    return Pack(PACK, version("workspace-host"), found, families_in(tools))


def discover(isolation: Isolation | None = None, installed: Iterable[EntryPoint] | None = None) -> Registry:
    """Import all of them. `installed` are the packs' entry points: those of the running environment by
    default. Raises BrokenTools where one can't be imported or does not have the shape of a tool."""
    return Registry([own_pack(isolation), *installed_packs(installed)]).on(RunsOn.WORKSPACE)


def _as_isolated(tool: Tool, isolation: Isolation | None) -> Tool:
    if isolation is None:
        return tool
    spec: ToolSpec = msgspec.structs.replace(tool.spec, sandbox=isolation.kind)
    if isolation.weaker is not None:
        spec = msgspec.structs.replace(spec, effect=Effect.EXTERNAL, always_asks=isolation.kind == "host")
    return msgspec.structs.replace(tool, spec=spec)
