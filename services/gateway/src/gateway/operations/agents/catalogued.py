"""The tools that every agent has, as runners publish them."""

from collections.abc import Sequence

from agent_domain.catalog import Catalog


class CataloguedTools:
    """`BuiltInTools` of the catalogue."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    async def names(self) -> Sequence[str]:
        """See `BuiltInTools`."""
        catalogues = (await self._catalog.list()).values()
        return sorted({tool.name for catalogue in catalogues for tool in catalogue.tools})
