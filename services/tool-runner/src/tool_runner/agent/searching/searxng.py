"""SearXNG, of the operator's own (https://docs.searxng.org/dev/search_api.html)."""

import msgspec

from egress.fetching import FetchRequest
from egress.guard import Egress
from tool_runner.agent.searching.port import SearchQuery, WebResult
from tool_runner.agent.searching.requests import ask, kept, query_string, read, upstream

_NAMED = 5
"""Engines named in an error; an instance may have a hundred."""


class _SearxngResult(msgspec.Struct):
    url: str = ""
    title: str = ""
    content: str | None = None
    publishedDate: str | None = None


class _SearxngAnswer(msgspec.Struct):
    results: list[_SearxngResult]
    unresponsive_engines: list[tuple[str, str]] = []
    """Search engines that gave it nothing, each with the reason."""


class SearXNG:
    """See `SearchService`. Its settings must allow the format `json`."""

    name = "searxng"

    def __init__(self, egress: Egress, base_url: str) -> None:
        """`egress` must let requests to `base_url` through, which often is a private address."""
        self._egress = egress
        self._url = base_url.rstrip("/")

    async def search(self, query: SearchQuery) -> list[WebResult]:
        """See `SearchService`."""
        asked = query_string(
            {"q": query.text, "format": "json", "language": query.region, "time_range": query.freshness}
        )
        answer = await ask(self._egress, self.name, FetchRequest(f"{self._url}/search?{asked}"))
        if "html" in answer.headers.get("content-type", ""):
            raise upstream(self.name, "it answers with a page: allow the format json in its settings.yml")
        told = read(self.name, answer, _SearxngAnswer)
        found = told.results
        if not found and told.unresponsive_engines:  # SearXNG answers with 200 even where none of them did
            failed = ", ".join(f"{engine} ({why})" for engine, why in told.unresponsive_engines[:_NAMED])
            raise upstream(self.name, f"its search engines gave it nothing: {failed}")
        return kept(
            [WebResult(one.title, one.url, one.content or "", one.publishedDate) for one in found],
            query.count,
        )
