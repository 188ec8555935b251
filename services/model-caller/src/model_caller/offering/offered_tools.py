"""The tools of all runners, followed as their catalogues change."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Protocol

import msgspec
import structlog

from agent_contracts.errors import Failure
from agent_contracts.tool_spec import CORE_PACK, Catalogue, ToolSpec
from agent_platform.process.interruption import Interruption

PATIENCE_S = 10.0
"""How long the first model call of a new process waits for the built-in tools; other packs may come first."""

_AGAIN_S = 1.0

log = structlog.get_logger()


class CatalogueWatch(Protocol):
    """Where catalogues are published."""

    def watch(self) -> AsyncGenerator[Mapping[str, Catalogue], None]:
        """All catalogues now, by pack, and again after each change."""
        ...


class WatchedTools:
    """A `ToolSource` that remembers, and notices changes while `run` runs."""

    def __init__(self, catalog: CatalogueWatch, *, patience_s: float = PATIENCE_S) -> None:
        self._catalog = catalog
        self._patience_s = patience_s
        self._tools: tuple[ToolSpec, ...] = ()
        self._families: Mapping[str, str] = {}
        self._packs: Mapping[str, Catalogue] = {}
        self._found = asyncio.Event()

    async def run(self) -> None:
        """Watch until cancelled, across failures."""
        interruption = Interruption("tools_watch")
        while True:
            try:
                async with aclosing(self._catalog.watch()) as changes:
                    async for catalogues in changes:
                        interruption.over()
                        self._take(catalogues)
            except (Failure, msgspec.DecodeError) as error:
                interruption.hit(str(error))
            await asyncio.sleep(_AGAIN_S)

    async def tools(self) -> tuple[ToolSpec, ...]:
        """See `ToolSource`. Right after the start it waits a little for the built-in ones."""
        if not self._found.is_set():
            try:
                async with asyncio.timeout(self._patience_s):
                    await self._found.wait()
            except TimeoutError:
                log.warning("tools.core_not_published", waited_s=self._patience_s)
                self._found.set()
        return self._tools

    def families(self) -> Mapping[str, str]:
        """See `ToolSource`."""
        return self._families

    def packs(self) -> Mapping[str, Catalogue]:
        """See `ToolSource`."""
        return self._packs

    def _take(self, catalogues: Mapping[str, Catalogue]) -> None:
        tools = all_tools(catalogues)
        self._families = all_families(catalogues)
        packs = {name: one for name, one in catalogues.items() if one.about is not None}
        if packs != self._packs:
            self._packs = packs
        if tools != self._tools:
            self._tools = tools
            log.info("tools.changed", packs=len(catalogues), tools=len(tools))
        if CORE_PACK in catalogues:
            self._found.set()


def all_tools(catalogues: Mapping[str, Catalogue]) -> tuple[ToolSpec, ...]:
    """The tools that every agent has, by family and name; of two of one name, the one of the catalogue that
    sorts first."""
    by_name: dict[str, ToolSpec] = {}
    for pack in sorted(name for name, one in catalogues.items() if one.about is None):
        for tool in catalogues[pack].tools:
            by_name.setdefault(tool.name, tool)
    return tuple(sorted(by_name.values(), key=lambda tool: (tool.family, tool.name)))


def all_families(catalogues: Mapping[str, Catalogue]) -> Mapping[str, str]:
    """What the tools of each family are for; of two packs that say so, the one that sorts first."""
    purposes: dict[str, str] = {}
    for pack in sorted(name for name, one in catalogues.items() if one.about is None):
        for family, purpose in catalogues[pack].families.items():
            purposes.setdefault(family, purpose)
    return purposes
