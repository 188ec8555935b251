"""Where an event stands: in a record of the log, and among the events of that record."""

import re

import msgspec

from agent_contracts.errors import Rejected

PARTS = 4096
"""More than a record ever has events, so that one number can hold an address: see `Address.place`."""

_TEXT = re.compile(r"(0|[1-9][0-9]{0,14})(?:\.([1-9][0-9]{0,3}))?", re.ASCII)
_QUOTED = 40

PATTERN = f"^{_TEXT.pattern}$"
"""What an address looks like, for those who only describe it."""


class Address(msgspec.Struct, frozen=True, order=True):
    """Event `part` of record `sequence`, written `N.i`. Parts count from 1.

    An event that is alone in its record has part 0, and is written `N`. As a moment (*as of*, *after*,
    *before*), `N` means: with everything of record N, however many events that has.
    """

    sequence: int
    part: int = 0

    def __str__(self) -> str:
        """As people and programs write it: `12`, or `12.1`."""
        return f"{self.sequence}.{self.part}" if self.part else str(self.sequence)

    @property
    def place(self) -> int:
        """One number that sorts as events do, for tables and cursors: record × `PARTS` + part."""
        return self.sequence * PARTS + self.part

    @property
    def end(self) -> int:
        """As a moment: the last place that it includes."""
        return self.place if self.part else (self.sequence + 1) * PARTS - 1

    @property
    def before(self) -> int:
        """The last whole record before this event."""
        return self.sequence - 1


NOWHERE = Address(0)
"""Before the first event."""


def at_place(place: int) -> Address:
    """The address of the event at a place; of a record's last place, that record."""
    sequence, part = divmod(place, PARTS)
    return Address(sequence, 0 if part == PARTS - 1 else part)


def parse_address(text: str, what: str = "an event's address") -> Address:
    """The address in a text. `Rejected(kind="invalid_request")` for anything else."""
    found = _TEXT.fullmatch(text)
    if found is None or int(found[2] or 0) >= PARTS - 1:
        raise Rejected(
            f"{text[:_QUOTED]!r} is not {what}: that is a number such as 12, or 12.1 for the first event "
            "of record 12 where it has several",
            kind="invalid_request",
        )
    return Address(int(found[1]), int(found[2] or 0))
