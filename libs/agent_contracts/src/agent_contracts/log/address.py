"""Where an event stands: in a record of the log, and among the events of that record."""

import functools
import re

import msgspec

from agent_contracts.errors import Rejected

PARTS = 4096
"""More than a record ever has events, so that one number can hold an address: see `Address.place`."""

_TEXT = re.compile(r"(0|[1-9][0-9]{0,14})(?:\.(0|[1-9][0-9]{0,3}))?", re.ASCII)
_QUOTED = 40

PATTERN = f"^{_TEXT.pattern}$"
"""What an address looks like, for those who only describe it."""


@functools.total_ordering
class Address(msgspec.Struct, frozen=True):
    """An event: `part` of record `sequence`, written `N.i`; i is from 0. One that is alone there is just `N`.

    As a moment (*as of*, *after*, *before*), `N` means: with everything of record N, however many events that
    has.
    """

    sequence: int
    part: int | None = None

    def __str__(self) -> str:
        """As people and programs write it: `12`, or `12.0`."""
        return str(self.sequence) if self.part is None else f"{self.sequence}.{self.part}"

    def __lt__(self, other: "Address") -> bool:
        """Whether the event stands before the other."""
        return self.place < other.place

    @property
    def place(self) -> int:
        """One number that sorts as events do, for tables: record × `PARTS`, + i + 1 where it has several."""
        return self.sequence * PARTS + (0 if self.part is None else self.part + 1)

    @property
    def end(self) -> int:
        """As a moment: the last place that it includes."""
        return (self.sequence + 1) * PARTS - 1 if self.part is None else self.place

    @property
    def complete(self) -> int:
        """As a moment: the last record of which it includes all, as far as one can tell."""
        return self.sequence if self.part is None else self.sequence - 1


NOWHERE = Address(0)
"""Before the first event."""


def at_place(place: int) -> Address:
    """The address of the event at a place; of a record's last place, that record."""
    sequence, part = divmod(place, PARTS)
    return Address(sequence, part - 1 if 0 < part < PARTS - 1 else None)


def place_before(place: int) -> int:
    """The last place before an event: of the one before it in its record, else of the record before."""
    sequence, part = divmod(place, PARTS)
    return place - 1 if part > 1 else sequence * PARTS - 1


def parse_address(text: str, what: str = "an event's address") -> Address:
    """The address in a text. `Rejected(kind="invalid_request")` for anything else."""
    found = _TEXT.fullmatch(text)
    part = int(found[2]) if found and found[2] else None
    if found is None or (part is not None and part >= PARTS - 2):
        raise Rejected(
            f"{text[:_QUOTED]!r} is not {what}: that is a number such as 12, or 12.0 for the first event "
            "of record 12 where it has several",
            kind="invalid_request",
        )
    return Address(int(found[1]), part)
