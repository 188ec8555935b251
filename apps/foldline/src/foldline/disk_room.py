"""Whether a disk has room, judged in one way by `foldline top` and `foldline doctor`; the alert rule says the
same."""

from typing import NamedTuple

_FULL = 64 * 2**20
"""Bytes. The next piece of Postgres's log takes 16 MiB, and the compiled sandbox as much again."""
LITTLE_SHARE = 0.1
LEAST_ROOM = 2**30
MOST_ROOM = 20 * 2**30
"""Bytes. A disk has little room below a tenth of its size; one of 4 TB with 50 GB left has enough for long,
and one of 5 GB needs more than its tenth."""


class DiskRoom(NamedTuple):
    """What is left of a disk, in bytes, for users other than root."""

    free: int
    size: int

    @property
    def is_full(self) -> bool:
        """Whether nothing can be relied on to be stored any more."""
        return self.size > 0 and self.free < _FULL

    @property
    def is_nearly_full(self) -> bool:
        """Whether somebody should make room soon."""
        return self.size > 0 and self.free < min(max(LITTLE_SHARE * self.size, LEAST_ROOM), MOST_ROOM)

    def __str__(self) -> str:
        percent = 100 * self.free // max(1, self.size)
        return f"{size_text(self.free)} of {size_text(self.size)} left ({percent} %)"


def size_text(number: int) -> str:
    """A number of bytes, for people."""
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{number / 1e6:.0f} MB"
