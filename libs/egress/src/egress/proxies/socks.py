"""Connections through a SOCKS 5 proxy, for httpcore.

httpcore has some of its own, which wait for ever for a proxy that doesn't answer, and leave the socket open
where it refuses.
"""

import asyncio
from collections.abc import Iterable

import httpcore
from socksio import socks5
from socksio.exceptions import SOCKSError

from egress.proxies.proxies import Proxy

_SAYS_S = 10.0
"""Seconds in which a proxy must have made the connection, where nobody says how many."""
_MOST = 4096


class SocksBackend(httpcore.AsyncNetworkBackend):
    """Connects to hosts by their names, which the proxy looks up."""

    def __init__(self, proxy: Proxy) -> None:
        self._proxy = proxy
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to `host`. `httpcore.ProxyError` where the proxy makes none."""
        proxy = self._proxy
        stream = await self._network.connect_tcp(
            proxy.host, proxy.port, timeout, local_address, socket_options
        )
        try:
            async with asyncio.timeout(timeout or _SAYS_S):
                await self._agree(stream, host, port)
        except BaseException as error:
            await stream.aclose()
            if isinstance(error, TimeoutError):
                raise httpcore.ProxyError("it doesn't answer as SOCKS 5") from error
            if isinstance(error, SOCKSError):
                raise httpcore.ProxyError("it doesn't speak SOCKS 5") from error
            raise
        return stream

    async def _agree(self, stream: httpcore.AsyncNetworkStream, host: str, port: int) -> None:
        said = socks5.SOCKS5Connection()
        method = socks5.SOCKS5AuthMethod
        wanted = method.NO_AUTH_REQUIRED if self._proxy.auth is None else method.USERNAME_PASSWORD
        said.send(socks5.SOCKS5AuthMethodsRequest([wanted]))
        chosen = await _answer(said, stream, 2)
        if not isinstance(chosen, socks5.SOCKS5AuthReply) or chosen.method != wanted:
            raise httpcore.ProxyError("it wants another login than it is given")
        if self._proxy.auth is not None:
            user, password = (one.encode() for one in self._proxy.auth)
            said.send(socks5.SOCKS5UsernamePasswordRequest(user, password))
            known = await _answer(said, stream, 2)
            if not isinstance(known, socks5.SOCKS5UsernamePasswordReply) or not known.success:
                raise httpcore.ProxyError("it refuses the user or the password")
        said.send(
            socks5.SOCKS5CommandRequest.from_address(socks5.SOCKS5Command.CONNECT, (host.encode(), port))
        )
        made = await _answer(said, stream, 8)
        if not isinstance(made, socks5.SOCKS5Reply):
            raise httpcore.ProxyError("it doesn't speak SOCKS 5")
        if made.reply_code is not socks5.SOCKS5ReplyCode.SUCCEEDED:
            why = made.reply_code.name.lower().replace("_", " ")
            raise httpcore.ProxyError(f"it can't connect to {host}: {why}")

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Never."""
        raise httpcore.UnsupportedProtocol("no proxy leads to a Unix socket")

    async def sleep(self, seconds: float) -> None:
        """What httpcore waits between attempts; it makes one."""
        await asyncio.sleep(seconds)


async def _answer(said: socks5.SOCKS5Connection, stream: httpcore.AsyncNetworkStream, least: int) -> object:
    await stream.write(said.data_to_send())
    data = b""
    while len(data) < least:
        more = await stream.read(_MOST)
        if not more:
            raise httpcore.ProxyError("it ended the connection")
        data += more
    return said.receive_data(data)
