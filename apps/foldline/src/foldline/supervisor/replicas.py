"""How many processes of each service to run."""

from collections.abc import Iterable, Mapping

from agent_contracts.errors import Rejected
from foldline.supervisor.catalogue import service

MOST = 64
"""More than this many processes of one service on one machine is taken for a mistake."""

_ONLY_ONE = {"gateway": "there is one port to listen on"}


def replicas_of(given: Iterable[str]) -> Mapping[str, int]:
    """Read `NAME=N` words; a service that isn't named has one process. `Rejected` for what can't be."""
    found: dict[str, int] = {}
    for word in given:
        name, _, number = word.partition("=")
        if not (number.isascii() and number.isdecimal() and 1 <= int(number[:9]) <= MOST):
            raise Rejected(f"--replicas {word}: write NAME=N with N from 1 to {MOST}", kind="bad_setting")
        name = service(name).name
        if name in _ONLY_ONE and int(number) > 1:
            raise Rejected(f"--replicas {word}: {_ONLY_ONE[name]}", kind="bad_setting")
        found[name] = int(number)
    return found
