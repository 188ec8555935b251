"""The tools of this distribution, and those that installed packs add."""

from collections.abc import Iterable
from importlib.metadata import EntryPoint, version
from typing import Any

import msgspec

from agent_contracts.errors import Failure
from agent_contracts.tool_spec import RunsOn
from agent_tools.registry import Pack, Registry, families_in, installed_packs, tools_in
from agent_tools.running.call import Call
from agent_tools.tool import Pause, Result, Tool
from browser_pool import tools
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.service import PACK


def discover(installed: Iterable[EntryPoint] | None = None) -> Registry:
    """Import all of them, and those that run here of installed packs, which are published elsewhere.

    `installed` are the packs' entry points: those of the running environment by default. Raises BrokenTools
    where one of this distribution does not have the shape of a tool.
    """
    found = tuple(map(_discreet, tools_in(tools)))
    own = Pack(PACK, version("browser-pool"), found, families_in(tools))
    return Registry([own, *installed_packs(installed)]).on(RunsOn.BROWSER)


def _discreet(tool: Tool) -> Tool:
    """The tool, which tells nothing of what a person typed in secret."""
    name = next((name for name, port in tool.asks if port is SessionBrowser), None)
    if name is None:
        return tool

    async def run(args: Any, **ports: Any) -> Result | Pause:
        browser: SessionBrowser = ports[name]
        try:
            outcome = await tool.run(args, **ports)
        except Failure as failure:
            raise browser.discreet(failure) from failure.__cause__
        told: Result | Pause = browser.discreet(outcome)
        return told

    return msgspec.structs.replace(tool, run=run)


class NoOwnTools:
    """`OwnTools` of a runner on which no agent's own tools run."""

    async def find(self, call: Call) -> Tool | None:
        """See `OwnTools`."""
        return None
