"""The connections of one fetch: directly to addresses that the rules allow, or through a proxy."""

import ssl
from contextlib import AsyncExitStack
from typing import Self

import httpcore

from agent_contracts.errors import Transient
from egress.dialing import CheckedDialing, allowed_addresses
from egress.proxies.clients import pool_through
from egress.proxies.proxies import Proxy, ProxyRules
from egress.targets import RequestTarget


class Pools:
    """Gives the pool for each request of a fetch, redirects too; all are closed at the end."""

    def __init__(self, tls: ssl.SSLContext, dialing: CheckedDialing, proxies: ProxyRules) -> None:
        self._tls = tls
        self._dialing = dialing
        self._proxies = proxies
        self._stack = AsyncExitStack()
        self._pools: dict[Proxy | None, httpcore.AsyncConnectionPool] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._stack.aclose()

    async def towards(self, target: RequestTarget) -> httpcore.AsyncConnectionPool:
        """Raises as `allowed_addresses` where the rules let nothing go there, through a proxy either."""
        proxy = self._proxies.at(target.scheme, target.host, target.port)
        if proxy is not None:
            await self._require_allowed(target)
        if proxy not in self._pools:
            self._pools[proxy] = await self._stack.enter_async_context(self._new(proxy))
        return self._pools[proxy]

    async def _require_allowed(self, target: RequestTarget) -> None:
        self._dialing.require_thinkable(target.host, target.port)
        try:
            await allowed_addresses(self._dialing.rules, self._dialing.resolver, target.host, target.port)
        except Transient:  # behind many proxies only the proxy itself can look names up
            return

    def _new(self, proxy: Proxy | None) -> httpcore.AsyncConnectionPool:
        if proxy is None:
            return httpcore.AsyncConnectionPool(self._tls, network_backend=self._dialing)
        return pool_through(proxy, self._tls)
