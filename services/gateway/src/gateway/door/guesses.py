"""How often somebody may be wrong about the token: from one address, and from all together."""

import hashlib
import time
from collections import deque
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address

from cachetools import LRUCache

from agent_contracts.api.problems import Kind
from gateway.http.wire.problems import ProblemError

PER_ADDRESS = 10
"""Wrong tokens from one address (of IPv6: one network of 64 bits) within a minute."""
IN_ALL = 200
"""Wrong tokens from everywhere within a minute. Addresses that came in before are not bound by it."""
MINUTE_S = 60.0
_REMEMBERED = 10_000


class Guesses:
    """Counts wrong tokens in this process; over the limit a wrong one is told to wait.

    The same wrong token again is no guess: a program with an old token doesn't lock its address out.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: LRUCache[str, deque[tuple[float, bytes]]] = LRUCache(_REMEMBERED)
        self._known: LRUCache[str, None] = LRUCache(_REMEMBERED)
        self._all: deque[tuple[float, bytes]] = deque()

    def check(self, address: str) -> None:
        """A `too_many_attempts` problem, with the seconds to wait, if this address may not try now."""
        place = _network(address)
        for found, most in ((self._wrong.get(place), PER_ADDRESS), (self._all, IN_ALL)):
            if found is None or (found is self._all and place in self._known):
                continue
            self._drop_old(found)
            if len(found) >= most:
                wait_s = max(1.0, found[0][0] + MINUTE_S - self._clock())
                raise ProblemError(
                    Kind.TOO_MANY_ATTEMPTS,
                    f"Too many wrong tokens, and this one is wrong, too. Try another in {wait_s:.0f} s",
                    retry_after=wait_s,
                )

    def wrong(self, address: str, offered: str) -> None:
        """Somebody was wrong."""
        place, digest = _network(address), hashlib.sha256(offered.encode("utf-8", "replace")).digest()
        found = self._wrong.setdefault(place, deque())
        self._drop_old(found)
        if any(digest == earlier for _, earlier in found):
            return
        guess = (self._clock(), digest)
        found.append(guess)
        self._drop_old(self._all)
        self._all.append(guess)

    def right(self, address: str) -> None:
        """Somebody had the token."""
        self._known[_network(address)] = None

    def _drop_old(self, found: deque[tuple[float, bytes]]) -> None:
        while found and found[0][0] + MINUTE_S <= self._clock():
            found.popleft()


def _network(address: str) -> str:
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(int(parsed) >> 64) if isinstance(parsed, IPv6Address) else str(parsed)
