"""The rows that one batch of events works on, and what an event does to them."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from projections.table import Key, ProjectedTable, R, Row


class PutRow(msgspec.Struct, frozen=True):
    """An event's effect: this row, in place of the one with the same key, if there is one."""

    table: ProjectedTable[Any]
    row: Row


class RemoveRow(msgspec.Struct, frozen=True):
    """An event's effect: no row has this key any more, if one had."""

    table: ProjectedTable[Any]
    key: Key


Change = PutRow | RemoveRow


class NotLoaded(Exception):
    """A row was asked for that nobody has looked up yet. Whoever folds loads it and folds the event again."""

    def __init__(self, table: ProjectedTable[Any], key: Key) -> None:
        super().__init__(f"{table.name} {key}")
        self.table = table
        self.key = key


class BatchRows:
    """The rows that a batch works on: what was looked up, with what the events so far made of it."""

    def __init__(self) -> None:
        self._current: dict[ProjectedTable[Any], dict[Key, Row | None]] = {}
        self._unseen: dict[ProjectedTable[Any], set[Key]] = {}
        self._appended: dict[ProjectedTable[Any], list[Row]] = {}

    def __len__(self) -> int:
        """How many are held, with those that are known not to exist."""
        return sum(len(rows) for rows in self._current.values())

    def get(self, table: ProjectedTable[R], key: Key) -> R | None:
        """The row as of the event being folded, or None if there is none. Raises `NotLoaded`."""
        try:
            return self._current[table][key]  # type: ignore[return-value]
        except KeyError:
            raise NotLoaded(table, key) from None

    def loaded(self, table: ProjectedTable[R], keys: Sequence[Key], found: Sequence[R]) -> None:
        """What the database holds under `keys`."""
        rows = self._current.setdefault(table, {})
        rows.update(dict.fromkeys(keys))
        rows.update((table.key_of(row), row) for row in found)

    def apply(self, changes: Sequence[Change]) -> None:
        """Apply one event's effects."""
        for change in changes:
            if isinstance(change, RemoveRow):
                self._set(change.table, change.key, None)
            elif change.table.appended:
                self._appended.setdefault(change.table, []).append(change.row)
            else:
                self._set(change.table, change.table.key_of(change.row), change.row)

    def unseen(self) -> Iterator[tuple[ProjectedTable[Any], list[Key]]]:
        """Keys that were changed without having been looked up: the database may hold them or not."""
        return ((table, list(keys)) for table, keys in self._unseen.items())

    def to_write(self) -> Iterator[tuple[ProjectedTable[Any], list[Row]]]:
        """Every row that the batch leaves, by table; none twice."""
        for table, appended in self._appended.items():
            yield table, appended
        for table, rows in self._current.items():
            yield table, [row for row in rows.values() if row is not None]

    def _set(self, table: ProjectedTable[Any], key: Key, row: Row | None) -> None:
        rows = self._current.setdefault(table, {})
        if key not in rows:
            self._unseen.setdefault(table, set()).add(key)
        rows[key] = row
