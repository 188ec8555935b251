"""Tables as data, and the rows that one batch of events works on."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Generic, NewType, TypeVar

import msgspec

JsonText = NewType("JsonText", str)
"""A jsonb column's value as JSON text: never decoded between database and database, so never altered."""

Key = tuple[Any, ...]
"""The values of a table's key columns, in their order."""


class Row(msgspec.Struct, frozen=True):
    """One row; its fields are the table's columns, in order."""


R = TypeVar("R", bound=Row)


@dataclass(frozen=True, eq=False)
class Table(Generic[R]):
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


class Put(msgspec.Struct, frozen=True):
    """An event's effect: this row, in place of the one with the same key, if there is one."""

    table: Table[Any]
    row: Row


class NotLoaded(Exception):
    """A row was asked for that nobody has looked up yet. Whoever folds loads it and folds the event again."""

    def __init__(self, table: Table[Any], key: Key) -> None:
        super().__init__(f"{table.name} {key}")
        self.table = table
        self.key = key


class Rows:
    """The rows that a batch works on: what was looked up, with what the events so far made of it."""

    def __init__(self) -> None:
        self._current: dict[Table[Any], dict[Key, Row | None]] = {}
        self._unseen: dict[Table[Any], set[Key]] = {}
        self._appended: dict[Table[Any], list[Row]] = {}

    def get(self, table: Table[R], key: Key) -> R | None:
        """The row as of the event being folded, or None if there is none. Raises `NotLoaded`."""
        try:
            return self._current[table][key]  # type: ignore[return-value]
        except KeyError:
            raise NotLoaded(table, key) from None

    def knows(self, table: Table[Any], key: Key) -> bool:
        """Whether `get` would answer."""
        return key in self._current.get(table, ())

    def loaded(self, table: Table[R], keys: Sequence[Key], found: Sequence[R]) -> None:
        """What the database holds under `keys`."""
        rows = self._current.setdefault(table, {})
        rows.update(dict.fromkeys(keys))
        rows.update((table.key_of(row), row) for row in found)

    def put(self, puts: Sequence[Put]) -> None:
        """Apply one event's effects."""
        for put in puts:
            table = put.table
            if table.appended:
                self._appended.setdefault(table, []).append(put.row)
                continue
            key = table.key_of(put.row)
            rows = self._current.setdefault(table, {})
            if key not in rows:
                self._unseen.setdefault(table, set()).add(key)
            rows[key] = put.row

    def unseen(self) -> Iterator[tuple[Table[Any], list[Key]]]:
        """Keys that were put without having been looked up: the database may hold them or not."""
        return ((table, list(keys)) for table, keys in self._unseen.items())

    def to_write(self) -> Iterator[tuple[Table[Any], list[Row]]]:
        """Every row that the batch leaves, by table; none twice."""
        for table, appended in self._appended.items():
            yield table, appended
        for table, rows in self._current.items():
            yield table, [row for row in rows.values() if row is not None]
