"""Which names belong to built-in tools."""

from typing import Protocol

from agent_contracts.tool_spec import RESERVED
from agent_domain.catalog import Catalog


class BuiltIn(Protocol):
    """Who knows the built-in tools of all runners and of the engine."""

    async def names(self) -> frozenset[str]:
        """Their names now."""
        ...


class CataloguedTools:
    """What is published in the catalogue."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    async def names(self) -> frozenset[str]:
        """See `BuiltIn`."""
        catalogues = (await self._catalog.list()).values()
        return RESERVED.union(tool.name for catalogue in catalogues for tool in catalogue.tools)
