"""What became of an agent, as the projections hold it: which of its things were written when."""

from agent_contracts.api.timeline import AgentMark, ChangedThing
from agent_contracts.kinds.registry import KINDS
from agent_contracts.log.subjects import entity_name
from gateway.queries.calls import address
from gateway.queries.database import ProjectionSnapshot, Row

DATABASE = "database"
SHOWN_KINDS = tuple(kind for kind, one in KINDS.items() if one.shown)
"""The kinds of things that are shown as of an event."""
SUBJECT_KINDS = [*(kind.value for kind in SHOWN_KINDS), "db"]
"""As they stand in subjects, with the write log of the database."""

_MOST = 1_000
_CHANGES = """
    SELECT place, subject, type, body->>'session_id' AS session_id, body->>'call_id' AS call_id
    FROM events
    WHERE agent_id = %(agent_id)s AND session_id IS NULL AND problem IS NULL
      AND place > %(after)s AND (%(up_to)s::bigint IS NULL OR place <= %(up_to)s)
      AND split_part(subject, '.', 3) = ANY(%(kinds)s)
      AND (%(by)s::text IS NULL OR body->>'session_id' = %(by)s)
    ORDER BY place DESC
    LIMIT %(most)s
"""


async def marks(
    snapshot: ProjectionSnapshot,
    agent_id: str,
    after: int,
    *,
    up_to: int | None = None,
    by: str | None = None,
) -> list[tuple[str | None, AgentMark]]:
    """The newest changes of an agent after a place (up to another; by one session), and by which calls."""
    given = {"agent_id": agent_id, "after": after, "up_to": up_to, "by": by}
    rows = await snapshot.rows(_CHANGES, **given, kinds=SUBJECT_KINDS, most=_MOST)
    return [(row["call_id"], _mark(row)) for row in rows]


def kind_of(subject: str) -> str:
    """The kind of the thing that a subject is of."""
    kind = subject.split(".")[2]
    return DATABASE if kind == "db" else kind


def name_of(subject: str) -> str:
    """Its name; the database's is its kind."""
    return DATABASE if kind_of(subject) == DATABASE else entity_name(subject)


def _mark(row: Row) -> AgentMark:
    return AgentMark(
        kind=kind_of(row["subject"]),
        name=name_of(row["subject"]),
        address=str(address(row["place"])),
        deleted=".entity_deleted." in row["type"],
        session_id=row["session_id"],
    )


def thing(mark: AgentMark) -> ChangedThing:
    """What was changed, without by whom."""
    return ChangedThing(kind=mark.kind, name=mark.name, address=mark.address, deleted=mark.deleted)
