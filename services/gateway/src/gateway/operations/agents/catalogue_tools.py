"""The tools that every agent has, as runners publish them."""

from collections.abc import Sequence

from agent_contracts.tool_spec import Catalogue
from agent_domain.catalog import Catalog


class CatalogueTools:
    """`BuiltInTools` and `OfferedTools` of the catalogue."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    async def names(self) -> Sequence[str]:
        """See `BuiltInTools`."""
        return sorted({tool.tool for catalogue in await self.catalogues() for tool in catalogue.tools})

    async def catalogues(self) -> Sequence[Catalogue]:
        """See `OfferedTools`."""
        return list((await self._catalog.list()).values())
