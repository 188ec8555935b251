"""What an agent changed of itself: a line for each change, and what it was asked for then."""

from psycopg.types.json import Jsonb

from agent_contracts.api.changes import OwnChange
from agent_contracts.api.wire import Page
from agent_contracts.kinds.registry import KINDS, LABELS_OF_IDS
from agent_platform.process.clock import rfc3339
from gateway.queries import cursors
from gateway.queries.agent_events import DATABASE, SHOWN_KINDS, kind_of, name_of
from gateway.queries.calls import address
from gateway.queries.cursors import Cursor
from gateway.queries.database import ProjectionSnapshot, Row
from gateway.queries.sources import stored_sources

CHANGED_KINDS = tuple(kind for kind in SHOWN_KINDS if KINDS[kind].is_restored)
"""What is the agent's own. Notepads, plans, and files of a chat, are its chat's."""
LONGEST = 300
"""Characters of a label, and of what was asked for."""

_PAGE = """
    WITH page AS (
        SELECT place, subject, type, time, body
        FROM events e
        WHERE agent_id = %(agent_id)s AND session_id IS NULL AND problem IS NULL AND actor = 'agent'
          AND split_part(subject, '.', 3) = ANY(%(kinds)s)
          AND NOT (split_part(subject, '.', 3) = 'file' AND coalesce(e.body->'value', (
                       SELECT r.body->'value' FROM events r
                       WHERE r.place BETWEEN 4096 * (e.body->>'replaced')::bigint
                                         AND 4096 * (e.body->>'replaced')::bigint + 4095
                         AND r.subject = e.subject
                   ), '{}') ? 'session_id')
          AND (%(before_key)s::bigint IS NULL OR place < %(before_key)s::bigint)
        ORDER BY place DESC LIMIT %(limit)s
    ), later AS (
        SELECT subject, max(place) AS newest FROM events
        WHERE agent_id = %(agent_id)s AND session_id IS NULL AND problem IS NULL
          AND place >= (SELECT min(place) FROM page) AND subject = ANY(SELECT subject FROM page)
        GROUP BY subject
    )
    SELECT p.place, p.subject, p.type, p.time, (p.body->>'version')::bigint AS version,
           p.body->>'session_id' AS by_session, p.body->>'call_id' AS call_id, s.title, c.tool,
           nullif(l.newest, p.place) AS changed_since, left(asked.text, %(longest)s) AS why,
           coalesce(asked.body->>'woken_by', s.begun_by->>'kind') AS woken_by,
           p.body->'outside' AS outside,
           left(coalesce(v.body->'value'->>(%(labels)s::jsonb->>split_part(p.subject, '.', 3)),
                         p.body->>'sql'), %(longest)s) AS label
    FROM page p
    JOIN later l USING (subject)
    CROSS JOIN LATERAL (SELECT CASE WHEN p.type LIKE '%%.entity_deleted.%%'
                                    THEN (p.body->>'replaced')::bigint ELSE p.place / 4096 END AS record) r
    LEFT JOIN events v ON v.place BETWEEN 4096 * r.record AND 4096 * r.record + 4095
                      AND v.subject = p.subject AND %(labels)s::jsonb ? split_part(p.subject, '.', 3)
    LEFT JOIN sessions s ON s.session_id = p.body->>'session_id'
    LEFT JOIN tool_calls c ON c.session_id = s.session_id AND c.call_id = p.body->>'call_id'
    LEFT JOIN model_calls d ON d.session_id = c.session_id AND d.call_id = c.model_call_id
    LEFT JOIN LATERAL (
        SELECT m.text, m.body FROM messages m
        WHERE m.session_id = s.session_id AND m.role = 'user'
          AND m.place < coalesce(d.requested_place, p.place)
        ORDER BY m.place DESC LIMIT 1
    ) asked ON true
    ORDER BY p.place DESC
"""


async def page(
    snapshot: ProjectionSnapshot, agent_id: str, kind: str | None, after: Cursor | None, limit: int
) -> Page[OwnChange]:
    """The newest `limit` that come after the cursor; of one kind, or of all."""
    kinds = [*(one.value for one in CHANGED_KINDS), "db"] if kind is None else [_in_subjects(kind)]
    if after is not None:
        cursors.require_number(after)
    of_agent = {"agent_id": agent_id, "kinds": kinds, "labels": Jsonb(LABELS_OF_IDS), "longest": LONGEST}
    rows, next_cursor = await cursors.page(snapshot, _PAGE, after, limit, ("time", "place"), **of_agent)
    return Page[OwnChange](items=[_change(row) for row in rows], next_cursor=next_cursor)


def _in_subjects(kind: str) -> str:
    return "db" if kind == DATABASE else kind


def _change(row: Row) -> OwnChange:
    kind, name = kind_of(row["subject"]), name_of(row["subject"])
    deleted = ".entity_deleted." in row["type"]
    made = row["version"] == 1 and kind != DATABASE
    return OwnChange(
        changed_at=rfc3339(row["time"]),
        address=str(address(row["place"])),
        what="deleted" if deleted else "made" if made else "changed",
        kind=kind,
        name=name,
        label=row["label"] or name,
        version=row["version"],
        session_id=row["by_session"],
        title=row["title"],
        call_id=row["call_id"],
        tool=row["tool"],
        why=row["why"],
        woken_by=row["woken_by"],
        outside=stored_sources(row["outside"]),
        changed_since=address(row["changed_since"]),
    )
