"""The tools of this distribution, and those that installed packs add."""

from collections.abc import Iterable
from importlib.metadata import EntryPoint, version

from agent_contracts.tool_spec import CORE_PACK
from agent_tools.registry import Pack, Registry, families_in, installed_packs, tools_in
from tool_runner import tools

SELFTEST_FAMILY = "selftest"


def discover(*, selftest: bool, installed: Iterable[EntryPoint] | None = None) -> Registry:
    """Import every tool there is. With `selftest`, also those by which Foldline tests itself.

    `installed` are the packs' entry points: those of the running environment by default. Raises BrokenTools
    where a tool of this distribution can't be imported or does not have the shape of one; a pack of which
    that holds has none.
    """
    hidden = frozenset() if selftest else frozenset({SELFTEST_FAMILY})
    core = Pack(CORE_PACK, version("tool-runner"), tuple(tools_in(tools, hidden)), families_in(tools))
    return Registry([core, *installed_packs(installed, Registry([core]).get)])
