"""Which names belong to built-in tools, that is, to those that every agent has."""

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
        always = (catalogue for catalogue in catalogues if catalogue.about is None)
        return RESERVED.union(tool.name for catalogue in always for tool in catalogue.tools)
