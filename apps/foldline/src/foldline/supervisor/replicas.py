"""How many processes of each service to run."""

from collections.abc import Collection, Iterable, Mapping

from agent_contracts.errors import Rejected
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.services.discovery import service_named

MOST = 64
"""More than this many processes of one service on one machine is taken for a mistake."""


def replicas_of(given: Iterable[str], services: Collection[ServiceDeclaration]) -> Mapping[str, int]:
    """Read `NAME=N` words; a service that isn't named has one process. `Rejected` for what can't be."""
    found: dict[str, int] = {}
    for word in given:
        name, _, number = word.partition("=")
        if not (number.isascii() and number.isdecimal() and 1 <= int(number[:9]) <= MOST):
            raise Rejected(f"--replicas {word}: write NAME=N with N from 1 to {MOST}", kind="bad_setting")
        service = service_named(name, services)
        if service.single and int(number) > 1:
            raise Rejected(f"--replicas {word}: {service.single}", kind="bad_setting")
        found[service.name] = int(number)
    return found
