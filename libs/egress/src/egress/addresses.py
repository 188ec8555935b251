"""Which numeric addresses may be dialled. Pure; a list of our own, since `ipaddress.is_global` lets NAT64,
6to4, multicast and others through that lead to where it says no.

Sources: the IANA special-purpose registries for IPv4 and IPv6, and the metadata services of the large clouds.
"""

from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


class Reach(StrEnum):
    """Where an address leads."""

    PUBLIC = "public"
    PRIVATE = "private"
    """This machine or a network around it: an operator can open hosts there."""
    FORBIDDEN = "forbidden"
    """Nowhere that anybody needs: metadata, multicast, link-local, reserved, tunnels. Never opened."""


_METADATA = (
    IPv4Network("168.63.129.16/32"),  # Azure's wire server, a public address
    IPv4Network("100.100.100.200/32"),  # Alibaba; the others' are link-local
    IPv6Network("fd00:ec2::254/128"),
    IPv6Network("fd20:ce::254/128"),
)

_PRIVATE: tuple[Network, ...] = tuple(
    IPv4Network(one)
    for one in ("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
) + tuple(IPv6Network(one) for one in ("::1/128", "fc00::/7"))

_FORBIDDEN_V4 = tuple(
    IPv4Network(one)
    for one in (
        "0.0.0.0/8",
        "169.254.0.0/16",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)

_UNICAST_V6 = IPv6Network("2000::/3")
"""The only IPv6 space that is handed out. What embeds an IPv4 address (NAT64, mapped, compatible),
site-local, link-local and multicast lie outside of it."""

_FORBIDDEN_V6 = tuple(
    IPv6Network(one)
    for one in (
        "2001::/23",  # Teredo, ORCHID, benchmarking and the like
        "2001:db8::/32",
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",
        "3ffe::/16",
        "3fff::/20",
    )
)


def reach_of(address: Address) -> Reach:
    """Where the address leads."""
    if any(address in network for network in _METADATA):
        return Reach.FORBIDDEN
    if any(address in network for network in _PRIVATE):
        return Reach.PRIVATE
    if isinstance(address, IPv4Address):
        forbidden = any(address in network for network in _FORBIDDEN_V4)
    else:
        forbidden = address not in _UNICAST_V6 or any(address in network for network in _FORBIDDEN_V6)
    return Reach.FORBIDDEN if forbidden else Reach.PUBLIC


def numeric(text: str) -> Address | None:
    """The address that a text is in the usual notation, None for anything else (a name, an octal
    spelling)."""
    try:
        return ip_address(text)
    except ValueError:
        return None
