"""What the log held: a seal for each range of sequences, and what was taken out of it since.

A range's total is the sum of its messages' digests. A sum, and not a chain, so that what an administrator
erases can be taken off without reading the rest; the digest has the sequence, so that order counts all the
same. It finds what a disk or a hand lost or changed, not what somebody forged who can also write seals.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import islice

import msgspec

from agent_contracts.log.record.records import StoredMessage

SPAN = 4096
"""Sequences in one range: as many as are read again to seal a range that was begun."""
_MODULUS = 1 << 256
_FAR = 1 << 64


class Total(msgspec.Struct, frozen=True):
    """A sum of digests, 256 bits, written in hexadecimal."""

    hex: str = "0"

    def plus(self, *others: "Total") -> "Total":
        """The sum with others."""
        return Total(f"{sum(int(one.hex, 16) for one in (self, *others)) % _MODULUS:x}")

    def minus(self, other: "Total") -> "Total":
        """Without what another one has."""
        return Total(f"{(int(self.hex, 16) - int(other.hex, 16)) % _MODULUS:x}")


class Seal(msgspec.Struct, frozen=True):
    """The log's messages of one range, up to `last`, as they were when they were sealed."""

    last: int
    total: Total


class Removal(msgspec.Struct, frozen=True):
    """Messages that are gone, and are meant to be: which sequences (first and last of each run), and what
    they had been, by range. `why` is for people. Taken together with the seals they say what must be there.
    """

    why: str
    runs: tuple[tuple[int, int], ...]
    totals: dict[int, Total]


PIECE = 20
"""Ranges in one piece of a removal: at most 40,960 runs, about 1 MiB."""


def in_pieces(removal: Removal) -> dict[int, Removal]:
    """The same removal by groups of ranges: what it says of one range is in one piece."""
    runs: dict[int, list[tuple[int, int]]] = {}
    for first, last in removal.runs:
        for number in range(range_of(first) // PIECE, range_of(last) // PIECE + 1):
            begins, ends = first_of(number * PIECE), first_of((number + 1) * PIECE) - 1
            runs.setdefault(number, []).append((max(first, begins), min(last, ends)))
    totals: dict[int, dict[int, Total]] = {}
    for of_range, total in removal.totals.items():
        totals.setdefault(of_range // PIECE, {})[of_range] = total
    return {
        number: Removal(removal.why, tuple(runs.get(number, ())), totals.get(number, {}))
        for number in sorted({*runs, *totals})
    }


class SequenceRuns:
    """A set of sequences, as runs of neighbours."""

    def __init__(self, runs: Iterable[tuple[int, int]] = ()) -> None:
        self._runs = _merged(runs)

    def __bool__(self) -> bool:
        return bool(self._runs)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._runs)

    @property
    def count(self) -> int:
        """How many sequences."""
        return sum(last - first + 1 for first, last in self._runs)

    def without(self, others: "SequenceRuns") -> "SequenceRuns":
        """Those that the others don't have."""
        left, cuts, at = [], others._runs, 0
        for first, last in self._runs:
            while at < len(cuts) and cuts[at][1] < first:
                at += 1
            for cut_first, cut_last in islice(cuts, at, None):
                if cut_first > last:
                    break
                if first < cut_first:
                    left.append((first, cut_first - 1))
                first = cut_last + 1
            if first <= last:
                left.append((first, last))
        return SequenceRuns(left)

    def within(self, first: int, last: int) -> "SequenceRuns":
        """Those from `first` to `last`."""
        return SequenceRuns(
            (max(run[0], first), min(run[1], last))
            for run in self._runs
            if run[0] <= last and run[1] >= first
        )

    def __contains__(self, sequence: int) -> bool:
        at = bisect_right(self._runs, (sequence, _FAR)) - 1
        return at >= 0 and self._runs[at][1] >= sequence

    def __str__(self) -> str:
        shown = [f"{first}" if first == last else f"{first} to {last}" for first, last in self._runs[:5]]
        more = f" and {len(self._runs) - 5} more stretches" if len(self._runs) > 5 else ""
        return ", ".join(shown) + more


def range_of(sequence: int) -> int:
    """The number of the range that a sequence is in, from 0."""
    return (sequence - 1) // SPAN


def first_of(number: int) -> int:
    """The first sequence of a range."""
    return number * SPAN + 1


def digest(message: StoredMessage) -> int:
    """256 bits of everything that a message is: sequence, subject, headers, body."""
    hashed = blake2b(f"{message.sequence} {message.subject}\n".encode(), digest_size=32)
    for name, value in sorted(message.headers.items()):
        hashed.update(f"{name}: {value}\n".encode())
    hashed.update(b"\n")
    hashed.update(message.data)
    return int.from_bytes(hashed.digest())


class RunningTotal:
    """A total that grows."""

    def __init__(self, begun: Total | None = None) -> None:
        self._sum = int(begun.hex, 16) if begun is not None else 0

    def add(self, message: StoredMessage) -> None:
        """Count one message in."""
        self._sum += digest(message)

    @property
    def total(self) -> Total:
        """The sum so far."""
        return Total(f"{self._sum % _MODULUS:x}")


def _merged(runs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(runs):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged
