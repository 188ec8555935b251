"""What an operator decides about the way out."""

from collections.abc import Iterable, Mapping
from ipaddress import ip_network
from urllib.parse import urlsplit

import msgspec

from agent_contracts.errors import Rejected
from egress.addresses import Address, Network, Reach, reach_of
from egress.ports import OTHER_PROTOCOLS
from egress.proxies.proxies import DIRECTLY, ProxyRules, proxies_from
from egress.settings import EgressSettings

_OWN = "it is a server of Foldline's own"


class EgressRules(msgspec.Struct, frozen=True):
    """`private_hosts` (names or numeric addresses, with or without `:port`) and `private_networks` may be
    reached although they are private. `own` are our servers, by host and port: never reached, nor is anything
    private at one of their ports, since that may be the same server under another name."""

    private_hosts: frozenset[str] = frozenset()
    private_networks: tuple[Network, ...] = ()
    own: frozenset[tuple[str, int]] = frozenset()

    def refusal(self, host: str, port: int, address: Address, *, speaks_http: bool = True) -> str | None:
        """Why a connection to `address`, found for `host`, must not be made; None if it may.

        Whoever doesn't speak HTTP may use the ports at which something else is spoken.
        """
        if (str(address), port) in self.own:
            return _OWN
        if refused := self.refusal_of_name(host, port, speaks_http=speaks_http):
            return refused
        reach = reach_of(address)
        if reach is Reach.PUBLIC:
            return None
        if reach is Reach.FORBIDDEN:
            return "its address is reserved, link-local, multicast or a cloud's metadata service"
        if port in {own for _, own in self.own}:
            return "it is at a private address, at the port of a server of Foldline's own"
        if self.opens(host, port) or any(address in network for network in self.private_networks):
            return None
        return "its address is private (FOLDLINE_EGRESS_PRIVATE_HOSTS names the hosts that are allowed)"

    def refusal_of_name(self, host: str, port: int, *, speaks_http: bool = True) -> str | None:
        """Why nothing must be dialled by this name, whatever its addresses are; None if that depends."""
        if (host, port) in self.own:
            return _OWN
        return self._refusal_of_port(host, port) if speaks_http else None

    def opens(self, host: str, port: int) -> bool:
        """Whether the operator named this host as a private one that may be reached."""
        return host in self.private_hosts or f"{host}:{port}" in self.private_hosts

    def _refusal_of_port(self, host: str, port: int) -> str | None:
        """An operator who names `host:port` says that HTTP is spoken there."""
        if port not in OTHER_PROTOCOLS or f"{host}:{port}" in self.private_hosts:
            return None
        return (
            f"at port {port} another protocol than HTTP is spoken, and nothing is sent there, as by browsers "
            f"(if it is HTTP, the operator can name {host}:{port} in FOLDLINE_EGRESS_PRIVATE_HOSTS)"
        )


def tools_proxies(settings: EgressSettings, environ: Mapping[str, str]) -> ProxyRules:
    """The proxies that agents' tools go through: none, unless the operator says so."""
    return proxies_from(environ) if settings.egress_through_proxy else DIRECTLY


def rules_from(settings: EgressSettings) -> EgressRules:
    """The rules of an installation. `Rejected` for a setting that can't be read."""
    hosts, networks = _private(settings.egress_private_hosts.split(","))
    return EgressRules(hosts, networks, frozenset(_own(settings)))


def _private(entries: Iterable[str]) -> tuple[frozenset[str], tuple[Network, ...]]:
    hosts: set[str] = set()
    networks: list[Network] = []
    for entry in (one.strip().lower() for one in entries):
        if "/" in entry:
            try:
                networks.append(ip_network(entry))
            except ValueError as error:
                raise Rejected(f"FOLDLINE_EGRESS_PRIVATE_HOSTS: {error}") from error
        elif entry:
            hosts.add(entry.replace("[", "").replace("]", ""))
    return frozenset(hosts), tuple(networks)


def _own(settings: EgressSettings) -> Iterable[tuple[str, int]]:
    yield settings.host, settings.port
    for entry in filter(None, (one.strip().lower() for one in settings.egress_refused_hosts.split(","))):
        host, _, port = entry.rpartition(":")
        if not host or not port.isdecimal():
            raise Rejected(f"FOLDLINE_EGRESS_REFUSED_HOSTS: {entry!r} is not host:port")
        yield host.strip("[]"), int(port)
    if settings.health_port:
        yield settings.host, settings.health_port
    for url in (settings.nats_url or "").split(","):
        parts = urlsplit(url if "//" in url else f"//{url}")
        if parts.hostname:
            yield parts.hostname, parts.port or 4222
