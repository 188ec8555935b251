"""What is asked of a search service, and what comes back."""

from typing import Literal, Protocol

import msgspec

Freshness = Literal["day", "week", "month", "year"]


class SearchQuery(msgspec.Struct, frozen=True):
    """`count` is how many results are wanted, 1 to 20; `region` an ISO 3166 country code in lower case;
    `freshness` how old a result may be."""

    text: str
    count: int
    region: str | None = None
    freshness: Freshness | None = None


class WebResult(msgspec.Struct, frozen=True):
    """One result. `published` is the service's own word for when, if it has one."""

    title: str
    url: str
    snippet: str
    published: str | None = None


class SearchService(Protocol):
    """One service."""

    @property
    def name(self) -> str:
        """What it is called in settings and results."""
        ...

    async def search(self, query: SearchQuery) -> list[WebResult]:
        """At most `query.count` results, best first; fewer or none where it has no more.

        `Transient(kind="upstream")` where it doesn't answer as it should, with what the operator can do.
        """
        ...
