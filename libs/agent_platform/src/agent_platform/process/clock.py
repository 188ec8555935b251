"""Time and ids as data: the one place that reads the clock and draws randomness."""

import os
import time
from datetime import UTC, datetime
from typing import Protocol

from agent_contracts.ids import new_id


class Clock(Protocol):
    """Where time and ids come from."""

    def now(self) -> datetime:
        """The time in UTC."""
        ...

    def new_id(self, prefix: str) -> str:
        """A fresh id that sorts by time."""
        ...


class SystemClock:
    """The machine's clock and randomness."""

    def now(self) -> datetime:
        """The time in UTC."""
        return datetime.now(UTC)

    def new_id(self, prefix: str) -> str:
        """A fresh id that sorts by time."""
        return new_id(prefix, time.time_ns() // 1_000_000, os.urandom(10))


def rfc3339(moment: datetime) -> str:
    """A UTC time as `2026-01-31T12:34:56.789Z` (milliseconds)."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
