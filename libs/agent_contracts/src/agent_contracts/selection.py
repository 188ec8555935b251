"""A selection of things that an agent has."""

from collections.abc import Iterable

import msgspec


class Selection(msgspec.Struct, frozen=True, omit_defaults=True):
    """Things of one kind."""

    kind: str
    """Kind of the things: an entity's, or `database`."""
    names: tuple[str, ...] | None = None
    """Their names; null: all of the kind."""

    def covers(self, kind: str, name: str) -> bool:
        """Whether this thing is among them."""
        return self.kind == kind and (self.names is None or name in self.names)


def selects(selections: Iterable[Selection], kind: str, name: str) -> bool:
    """Whether any of these covers the thing."""
    return any(one.covers(kind, name) for one in selections)
