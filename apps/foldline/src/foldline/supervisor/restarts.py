"""How often a service that ends again and again is started, and how often that is told."""

import time

from agent_platform.process.interruption import Interruption

_SETTLED_S = 60.0
"""A service that ran for so many seconds works: its next end is told in full."""
_LONGEST_WAIT_S = 60.0


class Restarts:
    """The restarts of one service. Of somebody else's, the first end in a row is told in full, the others as
    an `Interruption`, and the waits grow. Foldline's own is started at once, each time."""

    def __init__(self, service: str, wait_s: float, *, is_ours: bool, **bound: int) -> None:
        self._is_ours = is_ours
        self._loop = Interruption("service", service=service, **bound)
        self._first_wait_s = self._wait_s = wait_s
        self._began = 0.0
        self._in_a_row = 0

    @property
    def repeats(self) -> bool:
        """Whether it ended more than once in a row: `service.interrupted` says so, nothing else needs to."""
        return self._in_a_row > 1 and not self._is_ours

    def begins(self) -> None:
        """It is started now."""
        self._began = time.monotonic()

    def ends(self, reason: str) -> float:
        """It ended. Returns the seconds until it may be started again: longer each time, a minute at most."""
        if time.monotonic() - self._began >= _SETTLED_S:
            self._loop.over()
            self._in_a_row, self._wait_s = 0, self._first_wait_s
        self._in_a_row += 1
        if self.repeats:
            self._loop.hit(reason)
        wait_s = self._wait_s
        if not self._is_ours:
            self._wait_s = min(2 * wait_s, _LONGEST_WAIT_S)
        return wait_s
