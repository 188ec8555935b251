"""Brave Search (https://api-dashboard.search.brave.com/app/documentation/web-search/get-started)."""

import msgspec
from lxml import html

from egress.fetching import FetchRequest
from egress.guard import Egress
from tool_runner.agent.searching.port import SearchQuery, WebResult
from tool_runner.agent.searching.requests import ask, kept, query_string, read

BASE_URL = "https://api.search.brave.com"
_FRESHNESS = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}


class _BraveResult(msgspec.Struct):
    url: str = ""
    title: str = ""
    description: str | None = None
    age: str | None = None


class _Web(msgspec.Struct):
    results: list[_BraveResult] = []


class _BraveAnswer(msgspec.Struct):
    web: _Web | None = None


class Brave:
    """See `SearchService`."""

    name = "brave"

    def __init__(self, egress: Egress, api_key: str, base_url: str = BASE_URL) -> None:
        self._egress = egress
        self._key = api_key
        self._url = base_url

    async def search(self, query: SearchQuery) -> list[WebResult]:
        """See `SearchService`."""
        asked = query_string(
            {
                "q": query.text,
                "count": query.count,
                "country": query.region.upper() if query.region else None,
                "freshness": _FRESHNESS[query.freshness] if query.freshness else None,
            }
        )
        headers = (("accept", "application/json"), ("x-subscription-token", self._key))
        request = FetchRequest(f"{self._url}/res/v1/web/search?{asked}", headers=headers)
        answer = read(self.name, await ask(self._egress, self.name, request), _BraveAnswer)
        results = answer.web.results if answer.web else []
        return kept(
            [WebResult(_text(one.title), one.url, _text(one.description or ""), one.age) for one in results],
            query.count,
        )


def _text(marked: str) -> str:
    """Without the tags that mark what was looked for."""
    return str(html.fragment_fromstring(marked, create_parent="p").text_content())
