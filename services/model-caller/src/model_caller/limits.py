"""How long a model may take and how often it is asked."""

from functools import lru_cache
from urllib.parse import urlsplit

import msgspec

from egress.proxies.bypass import is_at_home, plain_host


class ModelCallLimits(msgspec.Struct, frozen=True):
    """Times in seconds.

    `connect`: until the connection stands; `first_token`: until the first sign of an answer;
    `first_token_at_home`: the same of a server on this machine or at a private address (None: without a
    limit, since such a one may read a long prompt for many minutes); `silence`: between two signs. A
    failed attempt is repeated up to `retries` times, but not once `give_up_after` has passed. Between
    attempts: `first_delay`, doubled each time, at most `longest_delay`, with up to half of it added by
    chance; a server's own `Retry-After` counts instead, but whoever asks for more than `longest_wait`
    isn't waited for.
    """

    connect: float = 10.0
    first_token: float = 120.0
    first_token_at_home: float | None = None
    silence: float = 60.0
    retries: int = 5
    first_delay: float = 0.5
    longest_delay: float = 20.0
    longest_wait: float = 120.0
    give_up_after: float = 300.0

    def first_token_of(self, url: str | None) -> float | None:
        """The seconds until a server at this address must begin to answer; None: it may take its time."""
        return self.first_token_at_home if url and _is_near(url) else self.first_token


@lru_cache(maxsize=100)
def _is_near(url: str) -> bool:
    host = urlsplit(url).hostname
    return bool(host) and is_at_home(*plain_host(host or ""))
