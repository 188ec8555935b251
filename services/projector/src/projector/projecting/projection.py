"""What a projection is: its tables, and the pure function that turns events into rows."""

from collections.abc import Sequence
from typing import Protocol

from agent_contracts.log.record.records import StoredMessage
from projections.project.batch_rows import BatchRows, Change
from projections.table import Key, ProjectedTable


class Projection(Protocol):
    """A fold of the log into tables. Pure: the same messages make the same rows, in batches of any size."""

    @property
    def name(self) -> str:
        """Its consumer name: the key of its checkpoint."""
        ...

    @property
    def schema(self) -> str:
        """The Postgres schema that readers use. `<schema>_next`, `_old`, `_check` are its own too."""
        ...

    @property
    def schema_sql(self) -> str:
        """Creates the tables, and `checkpoint`, in the schema that is first in the search path."""
        ...

    @property
    def mapping_version(self) -> int:
        """Grows when the same events make other rows. A change of this or of `schema_sql` makes a rebuild."""
        ...

    @property
    def subjects(self) -> Sequence[str]:
        """What it reads from the log."""
        ...

    @property
    def tables(self) -> Sequence[ProjectedTable]:  # type: ignore[type-arg]
        """Every table but the checkpoint."""
        ...

    def hints(self, message: StoredMessage) -> Sequence[tuple[ProjectedTable, Key]]:  # type: ignore[type-arg]
        """Rows that `project` will probably ask for, so that a batch looks them up together. Never raises."""
        ...

    def project(self, message: StoredMessage, rows: BatchRows) -> Sequence[Change]:
        """The rows that this event makes, changes or removes.

        Raises `Unprojectable`, and lets `NotLoaded` of `rows` through.
        """
        ...

    def salvage(self, message: StoredMessage, problem: str) -> Sequence[Change]:
        """What can be kept of an event that could not be projected: rows that Postgres takes in any case."""
        ...
