"""The proxies behind which one context is: WebSockets have one of their own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from egress.dialing import CheckedDialing
from egress.proxy.filtering_proxy import FilteringProxy, filtering_proxy
from egress.proxy.refusals import Refusals
from egress.proxy.terms import Terms


class Proxies:
    """Chromium reaches WebSockets by `sockets`, and all else by `pages`.

    So each WebSocket is known as one, of whoever it is: Chromium puts none into a connection of HTTP/2
    (RFC 8441) that leads through another proxy.
    """

    def __init__(self, pages: FilteringProxy, sockets: FilteringProxy) -> None:
        self.pages = pages
        self.sockets = sockets
        self._forget()

    @property
    def port(self) -> int:
        """By which the context is known: that of its pages."""
        return self.pages.port

    @property
    def ports(self) -> tuple[int, int]:
        """Of both."""
        return self.pages.port, self.sockets.port

    @property
    def rules(self) -> str:
        """Which is for what, as Chromium reads it. What it calls `socks` is for all that isn't named."""
        pages, sockets = (f"http://127.0.0.1:{port}" for port in self.ports)
        return f"http={pages};https={pages};socks={sockets}"

    def begin(self, pages: Terms, sockets: Terms) -> None:
        """Carry what these terms let leave."""
        self.pages.terms, self.sockets.terms = pages, sockets

    async def close(self) -> None:
        """End what is open, and forget what was refused. They can be used again."""
        await self.pages.close()
        await self.sockets.close()
        self._forget()

    def _forget(self) -> None:
        self.begin(Terms(), Terms())
        self.refusals = self.pages.refusals = self.sockets.refusals = Refusals()


@asynccontextmanager
async def proxies(dialing: CheckedDialing) -> AsyncIterator[Proxies]:
    """Both, running; all their connections end with them."""
    async with filtering_proxy(dialing) as pages, filtering_proxy(dialing) as sockets:
        yield Proxies(pages, sockets)
