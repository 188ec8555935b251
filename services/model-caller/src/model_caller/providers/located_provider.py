"""Finds a model's API where somebody gave an address beside it: with `/v1`, or elsewhere on the server."""

import os
from collections.abc import AsyncGenerator
from contextlib import aclosing

import httpx
import msgspec
import structlog

from agent_domain.model_addresses import endpoint, likely, with_version
from egress.proxies.clients import outward_client
from egress.proxies.proxies import proxies_from
from model_caller.answers.answer import AnswerEnding, AnswerPiece
from model_caller.answers.failures import ModelFault
from model_caller.choosing.target import ModelTarget
from model_caller.providers.port import Provider
from session_domain.model_requests.request import ModelRequest

log = structlog.get_logger()

_PATIENCE_S = 3.0
_MOST = 1_000


class LocatedProvider:
    """Asks at the address that was given, else at the same with `/v1`, and remembers where there was an API.
    An address that has none is named, with the one that may be meant."""

    def __init__(self) -> None:
        self._right: dict[str, str] = {}
        self._client = outward_client(proxies_from(os.environ), _PATIENCE_S)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def stream(
        self, provider: Provider, request: ModelRequest, target: ModelTarget
    ) -> AsyncGenerator[AnswerPiece | AnswerEnding, None]:
        """See `Provider`."""
        given = target.base_url
        if given is None:
            async with aclosing(provider.stream(request, target)) as pieces:
                async for piece in pieces:
                    yield piece
            return
        try:
            async with aclosing(provider.stream(request, self._moved(target))) as pieces:
                async for piece in pieces:
                    yield piece
            return
        except ModelFault as fault:
            if not fault.no_api:
                raise
            other = with_version(given)
            if other is None or given in self._right:
                raise await self._told(fault, given) from None
            first = fault
        try:
            moved = msgspec.structs.replace(target, base_url=other)
            async with aclosing(provider.stream(request, moved)) as pieces:
                async for piece in pieces:
                    self._remember(given, other)
                    yield piece
        except ModelFault as second:
            if second.no_api:
                raise await self._told(first, given) from second
            self._remember(given, other)
            raise

    def _moved(self, target: ModelTarget) -> ModelTarget:
        right = self._right.get(target.base_url or "")
        return target if right is None else msgspec.structs.replace(target, base_url=right)

    def _remember(self, given: str, right: str) -> None:
        if self._right.get(given) == right:
            return
        if len(self._right) >= _MOST:
            self._right.clear()
        self._right[given] = right
        log.info("model.address_corrected", right=right.rpartition("@")[2].partition("?")[0])

    async def _told(self, fault: ModelFault, given: str) -> ModelFault:
        """The fault, with an address at which there is a list of models, if there is one; else with the one
        that most servers have."""
        if fault.transient:
            fault.no_api = False  # a page for a while: it is asked again
            return fault
        for one in likely(given):
            if await self._has_models(one):
                fault.instead = ModelTarget("", one).shown_url
                return fault
        other = with_version(given)
        fault.instead = other and ModelTarget("", other).shown_url
        return fault

    async def _has_models(self, base_url: str) -> bool:
        """Also a server that wants a key for it has them: none is sent to an address that nobody named."""
        try:
            answer = await self._client.get(endpoint(base_url, "/models"))
        except (httpx.HTTPError, httpx.InvalidURL):
            return False
        is_json = answer.content.lstrip()[:1] in (b"{", b"[")
        return is_json and (answer.is_success or answer.status_code in (401, 403))
