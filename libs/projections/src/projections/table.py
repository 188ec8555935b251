"""Tables as data: a name, a key, and a row type whose fields are the columns."""

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Generic, NewType, TypeVar

import msgspec

JsonText = NewType("JsonText", str)
"""A jsonb column's value as JSON text: never decoded between database and database, so never altered."""

Key = tuple[Any, ...]
"""The values of a table's key columns, in their order."""


class Row(msgspec.Struct, frozen=True):
    """One row; its fields are the table's columns, in any order."""


R = TypeVar("R", bound=Row)


@dataclass(frozen=True, eq=False)
class ProjectedTable(Generic[R]):
    """A table that a projection fills. `appended` promises that no row is ever changed or written twice."""

    name: str
    row: type[R]
    key: tuple[str, ...]
    appended: bool = False
    columns: tuple[str, ...] = field(init=False)
    _read_key: Callable[[R], Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Derive the columns from the row type."""
        object.__setattr__(self, "columns", self.row.__struct_fields__)
        object.__setattr__(self, "_read_key", attrgetter(*self.key))

    def key_of(self, row: R) -> Key:
        """The row's key."""
        found = self._read_key(row)
        return found if len(self.key) > 1 else (found,)
