"""Notices that the machine's clock was set, or that the machine slept."""

import time
from collections.abc import Callable
from datetime import timedelta

from agent_platform.process.clock import Clock

CHECK_S = 5.0
"""How often who waits for times of the day asks whether the clock was set."""
_SLEWED = timedelta(seconds=2)
"""Time servers move a clock by less than this between two checks."""


class ClockWatch:
    """Compares the clock with a steady one, which nobody sets."""

    def __init__(self, clock: Clock, steady: Callable[[], float] = time.monotonic) -> None:
        """`steady` gives seconds."""
        self._clock = clock
        self._steady = steady
        self._seen = clock.now(), steady()

    def moved(self) -> timedelta | None:
        """By how much the clock was set since this was last asked (backwards: less than zero); None if it
        wasn't."""
        now, steady = self._clock.now(), self._steady()
        by = now - self._seen[0] - timedelta(seconds=steady - self._seen[1])
        self._seen = now, steady
        return by if abs(by) > _SLEWED else None
