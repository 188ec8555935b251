"""`web_search`: ask a search engine."""

from typing import Annotated

from pydantic import AfterValidator, Field

from agent_platform.log.storable_text import storable_text
from agent_tools.tool import EXTERNAL, Arguments, Result, tool
from tool_runner.agent.searching.choosing import WebSearch
from tool_runner.agent.searching.port import Freshness, SearchQuery
from tool_runner.agent.searching.regions import is_country

_MOST = 20


def _country(code: str) -> str:
    if not is_country(code):
        raise ValueError(f"{code[:20]!r} is not a country's two letters, such as us or de")
    return code.lower()


def _clamped(count: int) -> int:
    return max(1, min(count, _MOST))


class WebSearchArguments(Arguments):
    """What to look for."""

    query: Annotated[str, Field(min_length=1, max_length=400, description="What to look for.")]
    count: Annotated[int, AfterValidator(_clamped), Field(description="How many results, 1 to 20.")] = 10
    region: Annotated[
        str | None,
        AfterValidator(_country),
        Field(description="A country's two letters: results from there."),
    ] = None
    freshness: Annotated[Freshness | None, Field(description="Only what is at most this old.")] = None


class SearchResult(Result):
    """One page that was found."""

    title: str
    url: str
    snippet: str
    published: str | None = None


class SearchResults(Result):
    """What was found, best first; `provider` is who was asked."""

    query: str
    provider: str
    results: list[SearchResult]


@tool("web_search", family="web", effect=EXTERNAL, timeout_s=60, source="web")
async def web_search(args: WebSearchArguments, search: WebSearch) -> SearchResults:
    """Search the web. You get titles, addresses and snippets; read a page with web_read."""
    found = await search.search(SearchQuery(args.query, args.count, args.region, args.freshness))
    return SearchResults(
        query=args.query,
        provider=found.provider,
        results=[
            SearchResult(
                title=storable_text(one.title),
                url=storable_text(one.url),
                snippet=storable_text(one.snippet),
                published=storable_text(one.published) if one.published else None,
            )
            for one in found.results
        ],
    )
