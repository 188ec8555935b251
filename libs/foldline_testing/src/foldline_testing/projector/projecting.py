"""The projection without a database: a story's events in, rows out."""

from collections.abc import Iterable
from typing import Any

from agent_contracts.log.record.records import StoredMessage
from projections.project.batch_rows import BatchRows, NotLoaded
from projections.project.log_projection import LogProjection
from projections.project.unprojectable import Unprojectable
from projections.table import Key, ProjectedTable, Row


class MemoryTables:
    """The tables as they are after some messages, each batch of its own as in Postgres."""

    def __init__(self) -> None:
        self._projection = LogProjection()
        self._tables: dict[str, dict[Key, Row]] = {table.name: {} for table in self._projection.tables}

    def fold(self, messages: Iterable[StoredMessage]) -> "MemoryTables":
        """Fold more messages, as one batch."""
        rows = BatchRows()
        for message in messages:
            rows.apply(self._changes(message, rows))
        for table, keys in rows.unseen():
            for key in keys:
                self._tables[table.name].pop(key, None)
        for table, left in rows.to_write():
            self._tables[table.name].update((table.key_of(row), row) for row in left)
        return self

    def rows(self, table: ProjectedTable[Any]) -> dict[Key, Any]:
        """A table's rows by key."""
        return dict(self._tables[table.name])

    def _changes(self, message: StoredMessage, rows: BatchRows) -> Any:
        while True:
            try:
                return self._projection.project(message, rows)
            except NotLoaded as missing:
                found = self._tables[missing.table.name].pop(missing.key, None)
                rows.loaded(missing.table, [missing.key], [found] if found is not None else [])
            except Unprojectable as poison:
                return self._projection.salvage(message, f"{poison.kind}: {poison.message}")
