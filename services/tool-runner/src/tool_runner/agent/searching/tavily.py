"""Tavily (https://docs.tavily.com/documentation/api-reference/endpoint/search)."""

import msgspec

from egress.fetching import FetchRequest
from egress.guard import Egress
from tool_runner.agent.searching.port import SearchQuery, WebResult
from tool_runner.agent.searching.regions import country_name
from tool_runner.agent.searching.requests import ask, kept, read

BASE_URL = "https://api.tavily.com"


class _TavilyResult(msgspec.Struct):
    url: str = ""
    title: str = ""
    content: str | None = None
    published_date: str | None = None


class _TavilyAnswer(msgspec.Struct):
    results: list[_TavilyResult]


class Tavily:
    """See `SearchService`."""

    name = "tavily"

    def __init__(self, egress: Egress, api_key: str, base_url: str = BASE_URL) -> None:
        self._egress = egress
        self._key = api_key
        self._url = base_url

    async def search(self, query: SearchQuery) -> list[WebResult]:
        """See `SearchService`."""
        asked: dict[str, str | int] = {"query": query.text, "max_results": query.count}
        if query.freshness:
            asked["time_range"] = query.freshness
        if query.region:
            asked["country"] = country_name(query.region).lower()
        headers = (("content-type", "application/json"), ("authorization", f"Bearer {self._key}"))
        request = FetchRequest(f"{self._url}/search", "POST", headers, msgspec.json.encode(asked))
        found = read(self.name, await ask(self._egress, self.name, request), _TavilyAnswer).results
        return kept(
            [WebResult(one.title, one.url, one.content or "", one.published_date) for one in found],
            query.count,
        )
