"""A projection small enough to see through, to test the machinery: how many messages each subject has."""

from collections.abc import Sequence
from typing import Any

from agent_contracts.log.record.records import NewMessage, StoredMessage
from agent_platform.log.port import Log
from projections.project.batch_rows import BatchRows, PutRow
from projections.project.unprojectable import Unprojectable
from projections.table import Key, ProjectedTable, Row

POISON, BUG, REFUSED = b"poison", b"bug", b"refused"
"""Bodies that `project` rejects, that it breaks on, and whose rows Postgres doesn't take."""

_SQL = """
CREATE TABLE checkpoint (
    consumer text PRIMARY KEY, sequence bigint NOT NULL, version text NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE seen (
    sequence bigint, part bigint, body text NOT NULL, problem text, PRIMARY KEY (sequence, part)
);
CREATE TABLE totals (subject text PRIMARY KEY, count bigint NOT NULL, last bigint NOT NULL);
"""


class Seen(Row, frozen=True):
    """A message."""

    sequence: int
    part: int
    body: str
    problem: str | None = None


class Total(Row, frozen=True):
    """How many messages a subject has, and the sequence of its last."""

    subject: str
    count: int
    last: int


SEEN = ProjectedTable("seen", Seen, ("sequence", "part"), appended=True)
TOTALS = ProjectedTable("totals", Total, ("subject",))


class Counting:
    """Counts the messages below `cnt.`. `step` is what each counts for: another mapping, other rows."""

    name = "counting"
    schema = "counts"
    schema_sql = _SQL
    subjects: Sequence[str] = ("cnt.>",)
    tables: Sequence[ProjectedTable[Any]] = (SEEN, TOTALS)

    def __init__(self, mapping_version: int = 1, *, step: int = 1, hinting: bool = True) -> None:
        self.mapping_version = mapping_version
        self._step = step
        self._hinting = hinting

    def hints(self, message: StoredMessage) -> Sequence[tuple[ProjectedTable[Any], Key]]:
        """The subject's total, unless made without hints."""
        return [(TOTALS, (message.subject,))] if self._hinting else []

    def project(self, message: StoredMessage, rows: BatchRows) -> Sequence[PutRow]:
        """One more."""
        if message.data == POISON:
            raise Unprojectable("it says so itself")
        if message.data == BUG:
            raise ZeroDivisionError("a bug")
        body = "\x00" if message.data == REFUSED else message.data.decode()
        total = rows.get(TOTALS, (message.subject,))
        count = (total.count if total is not None else 0) + self._step
        return [
            PutRow(SEEN, Seen(message.sequence, message.part, body)),
            PutRow(TOTALS, Total(message.subject, count, message.sequence)),
        ]

    def salvage(self, message: StoredMessage, problem: str) -> Sequence[PutRow]:
        """That it was there."""
        return [PutRow(SEEN, Seen(message.sequence, message.part, "", problem))]


async def count(log: Log, subject: str, *bodies: bytes) -> int:
    """Append messages to `cnt.<subject>`; the last sequence."""
    sequence = 0
    for body in bodies:
        sequence = await log.append(NewMessage(f"cnt.{subject}", body, {}))
    return sequence
