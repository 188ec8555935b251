"""Names are resolved once, the addresses are judged, and exactly these are dialled."""

import asyncio
import socket
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Protocol

import httpcore

from agent_contracts.errors import ErrorKind, Rejected, Transient
from egress.addresses import Address, numeric
from egress.rules import EgressRules

_TRIED = 4
"""How many addresses of a name are tried, one after another."""
_EACH_S = 5.0
"""How long one of them may take to answer, in seconds."""
_ASKING = ThreadPoolExecutor(max_workers=16, thread_name_prefix="names")
"""Threads of their own: names that a page or a tool asks for, of a server that doesn't answer, take half a
minute each, and would keep all else of the process from asking for any."""


class Resolver(Protocol):
    """Where addresses come from."""

    async def addresses(self, host: str) -> Sequence[str]:
        """The numeric addresses of a host, the preferred one first. `OSError` if there are none."""
        ...


class SystemResolver:
    """The machine's resolver. It takes the odd spellings of addresses (octal, hexadecimal, one number) for
    what they mean, which is why what it answers is judged and not what was asked."""

    async def addresses(self, host: str) -> Sequence[str]:
        """See `Resolver`."""
        ask = partial(socket.getaddrinfo, host, None, type=socket.SOCK_STREAM)
        found = await asyncio.get_running_loop().run_in_executor(_ASKING, ask)
        return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class CheckedDialing(httpcore.AsyncNetworkBackend):
    """Makes connections for httpcore, to addresses that the rules allow. TLS and `Host` keep the name."""

    def __init__(self, rules: EgressRules, resolver: Resolver) -> None:
        self.rules = rules
        self.resolver = resolver
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to an address of `host`.

        `Rejected(kind="blocked")` where none may be reached, `Transient(kind="upstream")` where none answers.
        """
        problem = "it has no address"
        for address in (await allowed_addresses(self.rules, self.resolver, host, port))[:_TRIED]:
            try:
                return await self._network.connect_tcp(
                    str(address), port, min(timeout or _EACH_S, _EACH_S), local_address, socket_options
                )
            except httpcore.ConnectTimeout:
                problem = "it doesn't answer"
            except httpcore.ConnectError:
                problem = "it refuses the connection or can't be reached"
        raise Transient(f"{host} at port {port}: {problem}", kind=ErrorKind.UPSTREAM)

    def require_thinkable(self, host: str, port: int) -> None:
        """`Rejected(kind="blocked")` for what no answer of a name server makes allowed: no name is looked up
        for that, and nobody is asked."""
        literal = numeric(host)
        rules = self.rules
        refusal = rules.refusal(host, port, literal) if literal else rules.refusal_of_name(host, port)
        if refusal is not None:
            raise _not_to_be_reached(host, refusal)

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Never."""
        raise Rejected("no request goes to a Unix socket", kind=ErrorKind.BLOCKED)

    async def sleep(self, seconds: float) -> None:
        """What httpcore waits between attempts; it makes one."""
        await asyncio.sleep(seconds)


async def allowed_addresses(
    rules: EgressRules, resolver: Resolver, host: str, port: int, *, speaks_http: bool = True
) -> list[Address]:
    """The addresses of `host` that may be dialled at `port`.

    `Rejected(kind="blocked")` where there are some and none may be, `Transient(kind="upstream")` where the
    name can't be resolved. A caller that doesn't speak HTTP may dial the ports of other protocols.
    """
    literal = numeric(host)
    if literal is not None:
        found: list[Address] = [literal]
    else:
        try:
            answers = await resolver.addresses(host)
        except (OSError, UnicodeError) as error:
            raise Transient(f"the name {host!r} can't be resolved", kind=ErrorKind.UPSTREAM) from error
        found = [address for address in map(numeric, answers) if address is not None]
    refusals = [rules.refusal(host, port, address, speaks_http=speaks_http) for address in found]
    allowed = [address for address, refusal in zip(found, refusals, strict=True) if refusal is None]
    if found and not allowed:
        raise _not_to_be_reached(host, refusals[0])
    return allowed


def _not_to_be_reached(host: str, why: str | None) -> Rejected:
    return Rejected(f"{host} may not be reached: {why}", kind=ErrorKind.BLOCKED, path="/url")


async def dial(rules: EgressRules, resolver: Resolver, host: str, port: int) -> socket.socket:
    """A connected socket to an allowed address of `host`, for a protocol other than HTTP.

    Raises as `CheckedDialing.connect_tcp`.
    """
    loop = asyncio.get_running_loop()
    problem = "it has no address"
    for address in (await allowed_addresses(rules, resolver, host, port, speaks_http=False))[:_TRIED]:
        family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
        connection = socket.socket(family, socket.SOCK_STREAM)
        connection.setblocking(False)
        try:
            async with asyncio.timeout(_EACH_S):
                await loop.sock_connect(connection, (str(address), port))
        except TimeoutError:
            problem = "it doesn't answer"
        except OSError:
            problem = "it refuses the connection or can't be reached"
        except BaseException:
            connection.close()
            raise
        else:
            return connection
        connection.close()
    raise Transient(f"{host} at port {port}: {problem}", kind=ErrorKind.UPSTREAM)
