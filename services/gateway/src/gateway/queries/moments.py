"""What an agent had at a moment, and what became of it since, as the projections hold it."""

from psycopg.types.json import Jsonb

from agent_contracts.api.moments import KindThen, Since, ThingThen
from agent_contracts.entities.entity import EntityKind
from agent_contracts.kinds.registry import KINDS, LABELS
from gateway.queries.agent_events import DATABASE, SHOWN_KINDS, SUBJECT_KINDS, kind_of, name_of
from gateway.queries.calls import address
from gateway.queries.database import ProjectionSnapshot, Row

MOST_THINGS = 500
"""Of one kind in an answer."""

_MOMENT = """
    WITH writes AS (
        SELECT subject, max(place) AS newest, max(place) FILTER (WHERE place <= %(at)s) AS latest
        FROM events
        WHERE agent_id = %(agent_id)s AND session_id IS NULL AND problem IS NULL
          AND split_part(subject, '.', 3) = ANY(%(kinds)s)
        GROUP BY subject
    )
    SELECT w.subject, w.latest, w.newest,
           w.latest IS NOT NULL AND t.type NOT LIKE '%%.entity_deleted.%%' AS was,
           n.type NOT LIKE '%%.entity_deleted.%%' AS stays,
           w.latest = w.newest OR (split_part(w.subject, '.', 3) <> 'db'
                                   AND t.body->'value' = n.body->'value') AS same,
           l.body->'value'->>(%(labels)s::jsonb->>split_part(w.subject, '.', 3)) AS label,
           CASE WHEN split_part(w.subject, '.', 3) = 'file'
                THEN l.body->'value'->>'session_id' END AS workspace
    FROM writes w
    JOIN events n ON n.place = w.newest
    LEFT JOIN events t ON t.place = w.latest
    LEFT JOIN events l ON l.place = CASE WHEN w.latest IS NULL OR t.type LIKE '%%.entity_deleted.%%'
                                         THEN w.newest ELSE w.latest END
    ORDER BY w.subject
"""


async def moment(
    snapshot: ProjectionSnapshot, agent_id: str, end: int, session_id: str | None, workspace: str | None
) -> list[KindThen]:
    """As of the place `end`. With a session: only its own notepad and plan, and only files that it sees."""
    rows = await snapshot.rows(_MOMENT, agent_id=agent_id, at=end, kinds=SUBJECT_KINDS, labels=Jsonb(LABELS))
    by_kind: dict[str, list[Row]] = {}
    for row in rows:
        if _seen(row, session_id, workspace):
            by_kind.setdefault(kind_of(row["subject"]), []).append(row)
    return [_kind(kind, by_kind.get(kind, [])) for kind in (*(kind.value for kind in SHOWN_KINDS), DATABASE)]


def _seen(row: Row, session_id: str | None, workspace: str | None) -> bool:
    if not row["was"] and not row["stays"]:
        return False
    kind = kind_of(row["subject"])
    if kind != DATABASE and KINDS[EntityKind(kind)].named == "session":
        return session_id is None or name_of(row["subject"]) == session_id
    if kind == EntityKind.FILE:
        return session_id is None or row["workspace"] in (None, workspace)
    return True


def _kind(kind: str, rows: list[Row]) -> KindThen:
    things = [_thing(kind, row) for row in rows]
    changed = [one for one in things if one.since is not None]
    in_order = changed + [one for one in things if one.since is None]
    return KindThen(
        kind=kind,
        count=sum(1 for row in rows if row["was"]),
        changes=len(changed),
        things=in_order[:MOST_THINGS],
    )


def _thing(kind: str, row: Row) -> ThingThen:
    name = name_of(row["subject"])
    return ThingThen(
        name=name,
        label=row["label"] or name,
        address=address(row["latest"]) if row["was"] else None,
        since=_since(row),
    )


def _since(row: Row) -> Since | None:
    if not row["was"]:
        return "added"
    if not row["stays"]:
        return "removed"
    return None if row["same"] else "changed"
