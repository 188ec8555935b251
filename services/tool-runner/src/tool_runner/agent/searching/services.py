"""Which search services there are for this installation."""

from collections.abc import Callable, Sequence
from typing import Protocol
from urllib.parse import urlsplit

import msgspec

from agent_contracts.errors import ErrorKind, Rejected, Transient
from agent_contracts.ids import AgentId
from agent_tools.context import CallContext
from egress.dialing import Resolver
from egress.guard import Egress
from egress.proxies.proxies import DIRECTLY, ProxyRules
from egress.request_note import Note
from egress.rules import EgressRules
from tool_runner.agent.searching.brave import Brave
from tool_runner.agent.searching.duckduckgo import DuckDuckGo
from tool_runner.agent.searching.port import SearchQuery, SearchService, WebResult
from tool_runner.agent.searching.searxng import SearXNG
from tool_runner.agent.searching.settings import WebSearchSettings
from tool_runner.agent.searching.tavily import Tavily

ADVICE = (
    "The user can set the address of a SearXNG, or a key of Brave or Tavily, and choose among them, in the "
    "Studio's settings."
)


class WebResults(msgspec.Struct, frozen=True):
    """What was found, and by which service."""

    provider: str
    results: list[WebResult]


class SearchServices:
    """The services of an installation, asked one after another until one answers."""

    def __init__(self, services: Sequence[SearchService]) -> None:
        self.services = services

    async def search(self, query: SearchQuery) -> WebResults:
        """What the first service that answers has found.

        `Transient(kind="upstream")` where none does: why, and what the operator can do.
        """
        problems = []
        for service in self.services:
            try:
                return WebResults(service.name, await service.search(query))
            except Transient as error:
                problems.append(error.message)
        raise Transient(
            f"No search service answered. {'; '.join(problems)}. {ADVICE}", kind=ErrorKind.UPSTREAM
        )


SearchOf = Callable[[CallContext], SearchServices]
"""The web search of the agent that calls."""


class SettingsOfAgents(Protocol):
    """Where the settings of agents are read."""

    async def of(self, agent_id: AgentId) -> WebSearchSettings:
        """Those that hold for an agent now."""
        ...


class SearchBySettings(SearchServices):
    """That of the agent that calls, by the settings that hold for it when it searches."""

    def __init__(
        self,
        settings: SettingsOfAgents,
        call: CallContext,
        rules: EgressRules,
        resolver: Resolver,
        proxies: ProxyRules = DIRECTLY,
    ) -> None:
        super().__init__(())
        self._settings = settings
        self._call = call
        self._rules = rules
        self._resolver = resolver
        self._proxies = proxies

    async def search(self, query: SearchQuery) -> WebResults:
        """See `SearchServices`."""
        settings = await self._settings.of(self._call.agent_id)
        note = self._call.outgoing.note
        service = web_search_from(settings, self._rules, self._resolver, note, self._proxies)
        return await service.search(query)


def web_search_from(
    settings: WebSearchSettings,
    rules: EgressRules,
    resolver: Resolver,
    note: Note | None = None,
    proxies: ProxyRules = DIRECTLY,
) -> SearchServices:
    """The services that these settings name. `Rejected` where one is chosen that lacks its address or key."""
    egress = Egress(rules, resolver, note=note, proxies=proxies)
    configured: dict[str, SearchService] = {}
    if settings.searxng_url is not None:
        configured["searxng"] = SearXNG(
            Egress(_opened(rules, settings.searxng_url), resolver, note=note, proxies=proxies),
            settings.searxng_url,
        )
    if settings.brave_api_key is not None:
        configured["brave"] = Brave(egress, settings.brave_api_key.get_secret_value())
    if settings.tavily_api_key is not None:
        configured["tavily"] = Tavily(egress, settings.tavily_api_key.get_secret_value())
    duckduckgo = DuckDuckGo(egress)
    if settings.search_provider == "auto":
        return SearchServices([*configured.values(), duckduckgo])
    chosen = (configured | {"duckduckgo": duckduckgo}).get(settings.search_provider)
    if chosen is None:
        raise Rejected(
            f"The setting search_provider is {settings.search_provider}, and its address or key is not set. "
            "Set it in the Studio's settings, or choose another one.",
            kind=ErrorKind.REJECTED,
        )
    return SearchServices([chosen])


def _opened(rules: EgressRules, url: str) -> EgressRules:
    """The operator's own server may stand in a private network. What it leads on to may not."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return msgspec.structs.replace(rules, private_hosts=rules.private_hosts | {f"{parts.hostname}:{port}"})
