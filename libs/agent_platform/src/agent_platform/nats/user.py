"""Who may connect to NATS, and what it may do there."""

import re
from dataclasses import dataclass, field

from agent_platform.nats.accounts import SERVICES_ACCOUNT

ONCE = "true"
"""Within two minutes, which is the server's default."""
OFTEN = '{max: -1, expires: "20m"}'
"""The server keeps each request in mind for that long: for those who get few."""
ANSWERED_WITHIN_S = 20 * 60.0
"""The longest that the server keeps a request in mind, by `OFTEN`."""
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class NatsUser:
    """Who may connect, and to which subjects it may publish and subscribe: a tuple of subjects, wildcards
    allowed; empty: none; None: any. `allow_responses`: it may also answer each request, `ONCE` or `OFTEN`.

    Name and password are letters, digits, `-` and `_`: nats-py takes them from a URL as they stand.
    """

    name: str
    password: str = field(repr=False)
    publish: tuple[str, ...] | None = None
    subscribe: tuple[str, ...] | None = None
    allow_responses: str | None = None
    account: str = SERVICES_ACCOUNT

    def __post_init__(self) -> None:
        for value in (self.name, self.password):
            if not _PLAIN.fullmatch(value):
                raise ValueError(f"name and password of {self.name!r} must be of letters, digits, - and _")
