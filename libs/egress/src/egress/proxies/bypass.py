"""What never goes through a proxy: this machine, private networks, and what `NO_PROXY` names. Pure."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from ipaddress import IPv6Address, ip_network

import msgspec

from egress.addresses import Address, Network, Reach, numeric, reach_of

_LOCAL_NAMES = ("localhost", "local", "internal", "lan", "home.arpa")
"""Last labels of names that no public name server has (RFC 6761, 6762, 8375; ICANN for `internal`)."""
_PORTED = re.compile(r"(?P<host>.+):(?P<port>\d{1,5}|\*)")
_BRACKETED = re.compile(r"\[(?P<address>[^][]+)\](?P<length>(/\d+)?)")
_SCHEME = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<rest>.*)")


class ProxyExemption(msgspec.Struct, frozen=True):
    """One entry of `NO_PROXY`: a network, or a pattern of names (which holds for all names below it, too).
    `port` and `scheme` are those that it holds for; None: all."""

    pattern: str = ""
    network: Network | None = None
    port: int | None = None
    scheme: str | None = None

    def covers(self, scheme: str, host: str, address: Address | None, port: int) -> bool:
        """Whether this is asked directly. `host` is as `plain_host` gives it."""
        if self.port not in (None, port) or self.scheme not in (None, scheme):
            return False
        if self.network is not None:
            return address is not None and address in self.network
        if self.pattern == "<local>":
            return address is None and "." not in host
        if "*" in self.pattern or "?" in self.pattern:
            return fnmatchcase(host, self.pattern) or fnmatchcase(host, f"*.{self.pattern}")
        return host == self.pattern or (address is None and host.endswith(f".{self.pattern}"))


def exemptions(no_proxy: str) -> Iterator[ProxyExemption]:
    """The entries of a `NO_PROXY`, which commas or blanks separate."""
    for entry in re.split(r"[\s,;]+", no_proxy.lower()):
        if entry:
            yield _exempt(entry)


def _exempt(entry: str) -> ProxyExemption:
    schemed = _SCHEME.fullmatch(entry)
    scheme = schemed["scheme"] if schemed else None
    rest = schemed["rest"].partition("/")[0] if schemed else entry
    network = _network(rest)
    if network is not None:
        return ProxyExemption(network=network, scheme=scheme)
    host, port = rest, None
    ported = _PORTED.fullmatch(rest)
    if ported and (rest.startswith("[") or rest.count(":") == 1):
        host, port = ported["host"], None if ported["port"] == "*" else int(ported["port"])
    network = _network(host)
    if network is not None:
        return ProxyExemption(network=network, port=port, scheme=scheme)
    name = host if host == "*" else host.removeprefix("*").lstrip(".")
    return ProxyExemption(pattern=_ascii(name.rstrip(".")), port=port, scheme=scheme)


def _network(text: str) -> Network | None:
    """A network, or an address as the network that it is alone in; IPv6 with brackets or without."""
    bracketed = _BRACKETED.fullmatch(text)
    bare = bracketed["address"] + bracketed["length"] if bracketed else text
    address = numeric(bare)
    try:
        return ip_network(plain(address) if address is not None else bare, strict=False)
    except ValueError:
        return None


def is_at_home(host: str, address: Address | None) -> bool:
    """Whether this is this machine or one in a network around it, as far as the address or the name tells:
    no name is looked up. A name without a dot is one that only this machine or its network knows."""
    if address is not None:
        return address.is_loopback or address.is_unspecified or address.is_link_local or _is_private(address)
    return "." not in host or any(host.endswith(f".{end}") for end in _LOCAL_NAMES)


def _is_private(address: Address) -> bool:
    return reach_of(address) is Reach.PRIVATE


def plain_host(host: str) -> tuple[str, Address | None]:
    """A host in ASCII, lower case, without brackets or a final dot, and the address that it is, if it is
    one; an IPv6 address that stands for one of IPv4 is that one."""
    bare = host.strip("[]").rstrip(".").lower().partition("%")[0]
    address = numeric(bare)
    if address is None:
        return _ascii(bare), None
    address = plain(address)
    return str(address), address


def plain(address: Address) -> Address:
    """An IPv6 address that stands for one of IPv4, as that."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _ascii(name: str) -> str:
    try:
        return name if name.isascii() else name.encode("idna").decode("ascii")
    except UnicodeError:
        return name
