"""The tools of this distribution, and those that installed packs add."""

from collections.abc import Iterable
from importlib.metadata import EntryPoint, version
from typing import Any

import msgspec

from agent_contracts.errors import Failure
from agent_contracts.tool_spec import RunsOn
from agent_tools.registry import Pack, Registry, families_in, installed_packs, tools_in
from agent_tools.tool import Pause, Result, Tool
from browser_pool import tools
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.service import PACK


def discover(installed: Iterable[EntryPoint] | None = None) -> Registry:
    """Import all of them, and those that run here of installed packs, which are published elsewhere.

    `installed` are the packs' entry points: those of the running environment by default. Raises BrokenTools
    where one of this distribution does not have the shape of a tool.
    """
    return Registry([own_pack(), *installed_packs(installed)]).on(RunsOn.BROWSER)


def own_pack() -> Pack:
    """The tools of this distribution, which the pool publishes."""
    found = tuple(map(_discreet, tools_in(tools)))
    return Pack(PACK, version("browser-pool"), found, families_in(tools))


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
