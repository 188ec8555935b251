"""What can be a secret, whichever door it comes through."""

import re
from ipaddress import IPv6Address

from agent_contracts.api.secrets import HOST, LONGEST_HOST, MOST_HOSTS
from agent_contracts.entities.secrets import LONGEST_SECRET, SECRET_NAME, SHORTEST_SECRET
from agent_contracts.errors import Rejected
from agent_platform.settings.characters import flaw_in_header
from egress.addresses import numeric


def flaw_in_host(host: str) -> str | None:
    """Why a text that looks like a host can't be one of a secret's; None if it can."""
    if ":" in host and not isinstance(numeric(host), IPv6Address):
        return "a host without a port: a secret may go to any port of its hosts"
    return None


def check_secret(name: str, value: str, hosts: tuple[str, ...]) -> None:
    """`Rejected` for a name, a value or hosts that no secret can have. It doesn't repeat the value."""
    if not re.fullmatch(SECRET_NAME, name):
        raise _rejected("a secret's name has A-Z, 0-9 and _, and begins with a letter")
    if not SHORTEST_SECRET <= len(value) <= LONGEST_SECRET:
        raise _rejected(f"a secret has {SHORTEST_SECRET} to {LONGEST_SECRET} characters")
    flaw = flaw_in_header(value)
    if flaw is not None:
        raise _rejected(f"a secret can't be this: {flaw}")
    if not 1 <= len(hosts) <= MOST_HOSTS:
        raise _rejected(f"a secret has 1 to {MOST_HOSTS} hosts")
    for host in hosts:
        if len(host) > LONGEST_HOST or not re.fullmatch(HOST, host):
            raise _rejected(f"{host[:LONGEST_HOST]!r} is not a host name")
        flaw = flaw_in_host(host)
        if flaw is not None:
            raise _rejected(flaw)


def _rejected(message: str) -> Rejected:
    return Rejected(message, kind="invalid_request")
