"""DuckDuckGo's page without scripts. It has no interface for programs: its form may change."""

from urllib.parse import parse_qs, urlsplit

from lxml import html

from egress.charset import decoded
from egress.fetching import FetchRequest
from egress.guard import Egress
from tool_runner.agent.searching.port import SearchQuery, WebResult
from tool_runner.agent.searching.regions import language_of
from tool_runner.agent.searching.requests import ask, kept, query_string, upstream

BASE_URL = "https://html.duckduckgo.com"
_BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
_FRESHNESS = {"day": "d", "week": "w", "month": "m", "year": "y"}


class DuckDuckGo:
    """See `SearchService`. Needs no key, and turns programs away now and then."""

    name = "duckduckgo"

    def __init__(self, egress: Egress, base_url: str = BASE_URL) -> None:
        self._egress = egress
        self._url = base_url

    async def search(self, query: SearchQuery) -> list[WebResult]:
        """See `SearchService`."""
        asked = query_string(
            {
                "q": query.text,
                "kl": f"{query.region}-{language_of(query.region)}" if query.region else None,
                "df": _FRESHNESS[query.freshness] if query.freshness else None,
            }
        )
        headers = (("user-agent", _BROWSER), ("accept", "text/html"))
        request = FetchRequest(f"{self._url}/html/?{asked}", headers=headers)
        answer = await ask(self._egress, self.name, request)
        page = decoded(answer.body, answer.headers.get("content-type", ""), truncated=answer.truncated)
        results = _results(page)
        if not results and "no-results" not in page:
            raise upstream(self.name, "it takes this for a robot, or its page has changed")
        return kept(results, query.count)


def _results(page: str) -> list[WebResult]:
    """What is listed on the page, advertisements left out."""
    if not page.strip():
        return []
    found = []
    for block in html.fromstring(page).iterfind(".//div"):
        classes = (block.get("class") or "").split()
        link = block.find(".//a[@class='result__a']")
        if "result" in classes and "result--ad" not in classes and link is not None:
            snippet = block.find(".//a[@class='result__snippet']")
            text = snippet.text_content() if snippet is not None else ""
            found.append(WebResult(link.text_content(), _target(link.get("href") or ""), text))
    return found


def _target(href: str) -> str:
    """Where a link leads: DuckDuckGo's own lead there by a redirect that names it."""
    return parse_qs(urlsplit(href).query).get("uddg", [href])[0]
