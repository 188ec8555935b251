"""Every HTTP client of ours is built here, so that none takes a proxy from the environment by itself.

httpx would: it asks this machine through a proxy, fails on half of the forms of `NO_PROXY`, and ends the
process for an address that it doesn't like.
"""

import socket
import ssl
from collections.abc import Mapping
from functools import cache

import httpcore
import httpx

from egress.proxies.proxies import Proxy, ProxyRules
from egress.proxies.socks import SocksBackend

_ALIVE = tuple(
    (level, getattr(socket, name), value)
    for level, name, value in (
        (socket.SOL_SOCKET, "SO_KEEPALIVE", 1),
        (socket.IPPROTO_TCP, "TCP_KEEPIDLE", 30),
        (socket.IPPROTO_TCP, "TCP_KEEPINTVL", 10),
        (socket.IPPROTO_TCP, "TCP_KEEPCNT", 4),
    )
    if hasattr(socket, name)
)
"""How a machine that went away is noticed while nothing is waited for but its answer: after 70 seconds."""


@cache
def authorities() -> ssl.SSLContext:
    """Whom this machine trusts, or `SSL_CERT_FILE`. Read once for all clients: it takes a fortieth of a
    second of a processor."""
    return httpx.create_ssl_context()


class RoutedTransport(httpx.AsyncBaseTransport):
    """Sends each request directly, or through the proxy that is there for it."""

    def __init__(self, proxies: ProxyRules, verify: ssl.SSLContext | None = None) -> None:
        self._proxies = proxies
        self._verify = verify or authorities()
        self._direct = httpx.AsyncHTTPTransport(verify=self._verify, trust_env=False, socket_options=_ALIVE)
        self._through: dict[Proxy, httpx.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """See httpx. `httpx.ProxyError` names the variable of a proxy that doesn't do its part."""
        url = request.url
        port = url.port or {"http": 80, "https": 443}.get(url.scheme, 0)
        proxy = self._proxies.at(url.scheme, url.raw_host.decode("ascii"), port)
        if proxy is None:
            return await self._direct.handle_async_request(request)
        try:
            return await self._towards(proxy).handle_async_request(request)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            raise httpx.ProxyError(_failed(proxy, str(error) or type(error).__name__)) from error

    def _towards(self, proxy: Proxy) -> httpx.AsyncHTTPTransport:
        if proxy not in self._through:
            transport = httpx.AsyncHTTPTransport(verify=self._verify, trust_env=False)
            # httpx takes a proxy, and no connections of others.
            transport._pool = pool_through(proxy, self._verify)
            self._through[proxy] = transport
        return self._through[proxy]

    async def aclose(self) -> None:
        """See httpx."""
        for transport in (self._direct, *self._through.values()):
            await transport.aclose()


def pool_through(proxy: Proxy, tls: ssl.SSLContext) -> httpcore.AsyncConnectionPool:
    """Connections through a proxy; `tls` says whom to trust, also of a proxy that is asked by TLS."""
    if proxy.kind == "socks5":
        return httpcore.AsyncConnectionPool(tls, network_backend=SocksBackend(proxy))
    trusted = tls if proxy.kind == "https" else None
    return httpcore.AsyncConnectionPool(
        tls, proxy=httpcore.Proxy(proxy.url, auth=proxy.auth, ssl_context=trusted)
    )


def _failed(proxy: Proxy, why: str) -> str:
    return f"the proxy {proxy.url}, which {proxy.variable} names, gave no connection: {why}"


def outward_client(proxies: ProxyRules, timeout: httpx.Timeout | float) -> httpx.AsyncClient:
    """A client for servers anywhere. It follows no redirect: what a key and a conversation are sent to is
    what the user named."""
    return httpx.AsyncClient(
        transport=RoutedTransport(proxies), timeout=timeout, follow_redirects=False, trust_env=False
    )


def gateway_client(url: str, headers: Mapping[str, str], timeout: httpx.Timeout | float) -> httpx.Client:
    """A client for Foldline's own gateway, which is asked through no proxy."""
    return httpx.Client(
        base_url=url, headers=headers, timeout=timeout, trust_env=False, verify=_verify_for(url)
    )


def async_gateway_client(
    url: str, headers: Mapping[str, str], timeout: httpx.Timeout | float
) -> httpx.AsyncClient:
    """The same, for those that wait for several at a time."""
    return httpx.AsyncClient(
        base_url=url, headers=headers, timeout=timeout, trust_env=False, verify=_verify_for(url)
    )


def _verify_for(url: str) -> ssl.SSLContext:
    """Without TLS no certificates are read: that takes 50 ms of a command."""
    return authorities() if url.startswith("https:") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
