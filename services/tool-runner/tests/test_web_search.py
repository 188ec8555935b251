"""`web_search`: each service as it answers, over real sockets, through the guard."""

import json
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import msgspec
import pytest
from pydantic import SecretStr

from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.tool_spec import Effect
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_platform.entities.entity import EntityKey, EntityWriter
from egress.fetching import FetchRequest
from egress.guard import Egress
from egress.rules import EgressRules
from foldline_testing.egress.web import FixedNames, LocalServer, answered, egress_to, local_server
from foldline_testing.tool_runner.world import World
from tool_runner.agent.searching.brave import Brave
from tool_runner.agent.searching.duckduckgo import DuckDuckGo
from tool_runner.agent.searching.port import SearchService
from tool_runner.agent.searching.searxng import SearXNG
from tool_runner.agent.searching.services import SearchBySettings, SearchServices, web_search_from
from tool_runner.agent.searching.settings import WebSearchSettings
from tool_runner.agent.searching.tavily import Tavily
from tool_runner.settings import RunnerSettings

JSON = "Content-Type: application/json"
URLS = ["https://one.example/a?b=1", "https://two.example/"]
PLAIN = ["First page", "Second"]
LISTED = list(zip(PLAIN, URLS, strict=True))
MARKED = ["First <b>page</b>", "Second"]


def searxng(server: LocalServer) -> SearchService:
    return SearXNG(egress_to("s.test"), server.url("s.test", "/"))


def brave(server: LocalServer) -> SearchService:
    return Brave(egress_to("s.test"), "the-key", server.url("s.test", ""))


def tavily(server: LocalServer) -> SearchService:
    return Tavily(egress_to("s.test"), "the-key", server.url("s.test", ""))


def duckduckgo(server: LocalServer) -> SearchService:
    return DuckDuckGo(egress_to("s.test"), server.url("s.test", ""))


def as_searxng() -> bytes:
    results = [{"title": title, "url": url, "content": " x  y\n"} for title, url in LISTED]
    return answered(json.dumps({"query": "q", "results": results, "answers": []}).encode(), JSON)


def as_brave() -> bytes:
    results = [
        {"title": title, "url": url, "description": "x <strong>y</strong>", "age": "2 days"}
        for title, url in zip(MARKED, URLS, strict=True)
    ]
    return answered(json.dumps({"type": "search", "web": {"results": results}}).encode(), JSON)


def as_tavily() -> bytes:
    results = [{"title": title, "url": url, "content": "x y"} for title, url in LISTED]
    return answered(json.dumps({"results": results}).encode(), JSON)


def as_duckduckgo() -> bytes:
    ad = '<div class="result result--ad"><a class="result__a" href="https://ad.example">Buy</a></div>'
    blocks = [
        f'<div class="result results_links"><h2><a rel="nofollow" class="result__a" '
        f'href="//duckduckgo.com/l/?uddg={quote(url, safe="")}&amp;rut=1">{title}</a></h2>'
        f'<a class="result__snippet" href="#">x <b>y</b></a></div>'
        for title, url in zip(MARKED, URLS, strict=True)
    ]
    return answered(f"<html><body>{ad}{''.join(blocks)}</body></html>".encode(), "Content-Type: text/html")


SERVICES = {
    "searxng": (searxng, as_searxng),
    "brave": (brave, as_brave),
    "tavily": (tavily, as_tavily),
    "duckduckgo": (duckduckgo, as_duckduckgo),
}


async def searched(service: SearchService, **arguments: object) -> Any:
    world = World(search=SearchServices([service]))
    return await world.run("web_search", {"query": "tea & biscuits", **arguments}, effect=Effect.EXTERNAL)


def asked(server: LocalServer) -> dict[str, Any]:
    """What a service was asked, however it is asked."""
    head, _, body = server.seen[-1].partition("\r\n\r\n")
    if body:
        return dict(json.loads(body))
    return {name: values[0] for name, values in parse_qs(urlsplit(head.split()[1]).query).items()}


@pytest.mark.parametrize("name", SERVICES)
async def test_each_service_gives_titles_addresses_and_snippets(name: str) -> None:
    make, answer = SERVICES[name]
    async with local_server(lambda _: answer()) as server:
        found = (await searched(make(server))).result
    assert [one["title"] for one in found["results"]] == PLAIN
    assert [one["url"] for one in found["results"]] == URLS
    assert {one["snippet"] for one in found["results"]} == {"x y"}
    assert (found["provider"], found["query"]) == (name, "tea & biscuits")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("searxng", {"q": "tea & biscuits", "format": "json", "language": "de", "time_range": "week"}),
        ("brave", {"q": "tea & biscuits", "count": "1", "country": "DE", "freshness": "pw"}),
        ("tavily", {"query": "tea & biscuits", "max_results": 1, "country": "germany", "time_range": "week"}),
        ("duckduckgo", {"q": "tea & biscuits", "kl": "de-de", "df": "w"}),
    ],
)
async def test_count_region_and_freshness_reach_the_service(name: str, expected: dict[str, Any]) -> None:
    make, answer = SERVICES[name]
    async with local_server(lambda _: answer()) as server:
        found = (await searched(make(server), count=-3, region="DE", freshness="week")).result
        assert asked(server) == expected
    assert len(found["results"]) == 1


@pytest.mark.parametrize("arguments", [{"region": "Germany"}, {"freshness": "hour"}, {"query": ""}])
async def test_what_cannot_be_asked_is_said(arguments: dict[str, object]) -> None:
    failed = await searched(DuckDuckGo(egress_to()), **arguments)
    assert (failed.error.kind, failed.error.path) == (
        ErrorKind.INVALID_ARGUMENTS,
        f"/{next(iter(arguments))}",
    )


@pytest.mark.parametrize("name", SERVICES)
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (answered(b"", status=429), "too often"),
        (answered(b"", status=401), "is its key right?"),
        (answered(b"", status=500), "status 500"),
        (b"nonsense", "can't be reached"),
    ],
)
async def test_a_service_that_fails_says_why_and_what_to_set(name: str, answer: bytes, why: str) -> None:
    async with local_server(lambda _: answer) as server:
        failed = await searched(SERVICES[name][0](server))
    assert failed.error.kind == ErrorKind.UPSTREAM
    assert f"{name}: " in failed.error.message
    assert why in failed.error.message
    assert "address of a SearXNG" in failed.error.message
    assert "the-key" not in failed.error.message


@pytest.mark.parametrize(
    ("name", "body", "why"),
    [
        ("searxng", b"<html>", "can't be read"),
        (
            "searxng",
            b'{"results": [], "unresponsive_engines": [["bing", "timeout"], ["ddg", "CAPTCHA"]]}',
            "its search engines gave it nothing: bing (timeout), ddg (CAPTCHA)",
        ),
        ("brave", b'{"web": 3}', "can't be read"),
        ("tavily", b"\xff", "can't be read"),
        ("duckduckgo", b"<html>Are you a robot?", "takes this for a robot"),
    ],
)
async def test_an_answer_of_another_shape_is_the_service_s_fault(name: str, body: bytes, why: str) -> None:
    async with local_server(lambda _: answered(body, JSON)) as server:
        failed = await searched(SERVICES[name][0](server))
    assert failed.error.kind == ErrorKind.UPSTREAM
    assert why in failed.error.message


async def test_a_private_searxng_is_reached_and_nothing_else_that_is_private() -> None:
    names = FixedNames({"home.test": ["127.0.0.1"], "other.test": ["127.0.0.1"]})
    to_other = "Location: http://other.test:{}/search"
    async with local_server(lambda _: as_searxng()) as server:
        settings = WebSearchSettings(searxng_url=server.url("home.test", ""))
        world = World(search=web_search_from(settings, EgressRules(), names))
        found = await world.run("web_search", {"query": "q"}, call_id="c1", effect=Effect.EXTERNAL)
        assert found.result["provider"] == "searxng"
        with pytest.raises(Rejected, match="private"):
            await Egress(EgressRules(), names).fetch(FetchRequest(server.url("home.test")))
    async with local_server(lambda _: answered(b"", to_other.format(8099), status=302)) as server:
        settings = WebSearchSettings(searxng_url=server.url("home.test", ""))
        world = World(search=web_search_from(settings, EgressRules(), names))
        failed = await world.run("web_search", {"query": "q"}, call_id="c2", effect=Effect.EXTERNAL)
        assert "private" in failed.error.message


def test_what_is_configured_comes_first_and_without_anything_duckduckgo() -> None:
    def services(**values: object) -> list[str]:
        made = web_search_from(WebSearchSettings.model_validate(values), EgressRules(), FixedNames())
        return [service.name for service in made.services]

    keys = {"brave_api_key": SecretStr("b"), "tavily_api_key": SecretStr("t")}
    assert services() == ["duckduckgo"]
    assert services(**keys) == ["brave", "tavily", "duckduckgo"], "the last resort"
    assert services(**keys, search_provider="tavily") == ["tavily"]
    assert services(**keys, search_provider="duckduckgo") == ["duckduckgo"]
    with pytest.raises(Rejected, match="search_provider is searxng"):
        services(search_provider="searxng")


async def test_a_search_asks_where_the_settings_say_at_that_moment() -> None:
    world = World()
    names = FixedNames({"home.test": ["127.0.0.1"]})
    told = RunnerSettings(timezone="UTC", search_provider="tavily", tavily_api_key=SecretStr("t"))
    effective = EffectiveSettings(world.entities, told)
    world.search_of = lambda call: SearchBySettings(effective, call, EgressRules(), names)
    async with local_server(lambda _: as_searxng()) as server:
        for name, value in (("search_provider", "searxng"), ("searxng_url", server.url("home.test", ""))):
            key = EntityKey(SYSTEM_AGENT, EntityKind.SETTING, name)
            await world.entities.write(key, value, EntityWriter.user(name))
        found = await world.run("web_search", {"query": "q"}, call_id="c1", effect=Effect.EXTERNAL)
    assert found.result["provider"] == "searxng"
    assert found.sent is not None
    (left,) = found.sent.requests
    assert (left.host, left.method, left.verdict, left.status) == ("home.test", "GET", "sent", 200)


async def test_the_next_service_is_asked_where_the_first_fails() -> None:
    async with (
        local_server(lambda _: answered(b"", status=500)) as bad,
        local_server(lambda _: as_brave()) as good,
    ):
        world = World(search=SearchServices([searxng(bad), brave(good)]))
        found = await world.run("web_search", {"query": "q"}, effect=Effect.EXTERNAL)
    assert found.result["provider"] == "brave"


async def test_a_searxng_that_finds_nothing_is_an_answer() -> None:
    async with local_server(lambda _: answered(b'{"results": []}', JSON)) as server:
        found = (await searched(searxng(server))).result
    assert (found["provider"], found["results"]) == ("searxng", [])


async def test_results_that_lead_nowhere_or_twice_to_one_place_are_left_out() -> None:
    results = [
        {"title": "t", "url": url, "content": "c" * 5_000}
        for url in (
            "javascript:alert(1)",
            "https://a.example",
            "https://a.example",
            "https://b.example",
            "/x",
        )
    ]
    body = msgspec.json.encode({"results": results})
    async with local_server(lambda _: answered(body, JSON)) as server:
        found = (await searched(searxng(server))).result["results"]
    assert [one["url"] for one in found] == ["https://a.example", "https://b.example"]
    assert len(found[0]["snippet"]) == 1_000
