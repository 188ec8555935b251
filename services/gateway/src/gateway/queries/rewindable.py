"""What of an agent differs from how it was at a moment, who changed it since, and which chats used it."""

from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from agent_contracts.api.rewinds import (
    AgentRewindPreview,
    RewindableKind,
    RewindableThing,
    RewindableWrite,
    UsedSince,
)
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.rewinds import DATABASE, is_secret_setting
from agent_contracts.files import FileScope
from agent_contracts.kinds.registry import ACTING_KINDS, LABELS_OF_IDS
from agent_contracts.kinds.rewound import REWOUND_KINDS
from agent_contracts.log.address import Address, at_place
from agent_domain.schedules.times_passed import is_over_by_now
from gateway.queries.agent_events import kind_of, name_of
from gateway.queries.calls import address
from gateway.queries.database import ProjectionSnapshot, Row

MOST_CHANGES = 2_000
"""Of one kind in an answer; of all kinds, as many again are counted."""
_MOST_SESSIONS = 5
_MOST_USERS = 50
_MOST_WRITES = 20
_BEGINNING = 200
_BY_KIND = {
    "kinds": [*(kind.value for kind in REWOUND_KINDS), "db"],
    "acting": [kind.value for kind in ACTING_KINDS],
    "labels": Jsonb(LABELS_OF_IDS),
}
_CHANGES = f"""
    WITH writes AS (
        SELECT subject, max(place) AS newest, max(place) FILTER (WHERE place <= %(to)s) AS latest,
               count(*) FILTER (WHERE place > %(to)s) AS writes
        FROM events
        WHERE agent_id = %(agent_id)s AND session_id IS NULL AND problem IS NULL
          AND split_part(subject, '.', 3) = ANY(%(kinds)s)
        GROUP BY subject
        HAVING max(place) > %(to)s
    ), writers AS (
        SELECT subject,
               (array_agg(DISTINCT body->>'session_id')
                    FILTER (WHERE body->>'session_id' IS NOT NULL))[1:{_MOST_SESSIONS}] AS sessions,
               bool_or(body->>'session_id' IS NULL) AS people
        FROM events
        WHERE agent_id = %(agent_id)s AND session_id IS NULL AND problem IS NULL AND place > %(to)s
          AND split_part(subject, '.', 3) = ANY(%(kinds)s)
        GROUP BY subject
    )
    SELECT w.subject, w.latest, w.newest, w.writes, b.sessions, b.people,
           t.place IS NOT NULL AND t.type NOT LIKE '%%.entity_deleted.%%' AS was,
           n.type NOT LIKE '%%.entity_deleted.%%' AS stays,
           split_part(w.subject, '.', 3) <> 'db' AND t.body->'value' = n.body->'value' AS same,
           left(l.body->'value'->>(%(labels)s::jsonb->>split_part(w.subject, '.', 3)), {_BEGINNING}) AS label,
           t.body->'value'->>'scope' AS scope_then, n.body->'value'->>'scope' AS scope_now,
           CASE WHEN split_part(w.subject, '.', 3) = 'setting' THEN t.body->'value' END AS set_then,
           CASE WHEN split_part(w.subject, '.', 3) = 'setting' THEN n.body->'value' END AS set_now,
           CASE WHEN split_part(w.subject, '.', 3) = ANY(%(acting)s)
                THEN t.body->'value' END AS timed
    FROM writes w
    JOIN writers b USING (subject)
    JOIN events n ON n.place = w.newest
    LEFT JOIN events t ON t.place = w.latest
    LEFT JOIN events l ON l.place = CASE WHEN w.latest IS NULL OR t.type LIKE '%%.entity_deleted.%%'
                                         THEN w.newest ELSE w.latest END
    ORDER BY w.subject
"""
_WRITES = f"""
    SELECT place, body->>'session_id' AS session_id, left(body->>'sql', {_BEGINNING}) AS sql
    FROM events
    WHERE agent_id = %(agent_id)s AND session_id IS NULL AND problem IS NULL AND place > %(to)s
      AND split_part(subject, '.', 3) = 'db'
    ORDER BY place DESC LIMIT {_MOST_WRITES}
"""
_USED = f"""
    SELECT s.session_id, s.title, array_agg(DISTINCT c.tool) AS tools
    FROM tool_calls c JOIN sessions s USING (session_id)
    WHERE s.agent_id = %(agent_id)s AND c.requested_place > %(to)s AND c.tool = ANY(%(tools)s)
    GROUP BY s.session_id, s.title
    ORDER BY max(c.requested_place) DESC LIMIT {_MOST_USERS}
"""


async def rewindable(
    snapshot: ProjectionSnapshot, agent_id: str, to: int, log_sequence: int, now: datetime
) -> AgentRewindPreview:
    """What differs from the moment `to`."""
    given: dict[str, Any] = {"agent_id": agent_id, "to": Address(to).end}
    by_kind: dict[str, list[RewindableThing]] = {}
    for row in await snapshot.rows(_CHANGES, **given, **_BY_KIND):
        kind = kind_of(row["subject"])
        if _differs(row, kind):
            by_kind.setdefault(kind, []).append(_thing(row, kind, now))
    order = [*(kind.value for kind in REWOUND_KINDS), DATABASE]
    tools = [one.name for one in by_kind.get(EntityKind.TOOL, [])]
    writes = await snapshot.rows(_WRITES, **given) if DATABASE in by_kind else []
    used = await snapshot.rows(_USED, **given, tools=tools) if tools else []
    return AgentRewindPreview(
        to=to,
        log_sequence=log_sequence,
        kinds=[
            RewindableKind(kind=kind, count=len(by_kind[kind]), things=by_kind[kind][:MOST_CHANGES])
            for kind in order
            if kind in by_kind
        ],
        database_writes=[
            RewindableWrite(
                sequence=at_place(row["place"]).sequence, session_id=row["session_id"], sql=row["sql"]
            )
            for row in reversed(writes)
        ],
        used_by=[
            UsedSince(session_id=row["session_id"], title=row["title"], tools=row["tools"]) for row in used
        ],
    )


def _differs(row: Row, kind: str) -> bool:
    if kind == DATABASE:
        return True
    if not row["was"] and not row["stays"]:
        return False
    if row["was"] and row["stays"] and row["same"]:
        return False
    if kind == EntityKind.SETTING:
        return not (is_secret_setting(row["set_then"]) or is_secret_setting(row["set_now"]))
    if kind == EntityKind.FILE:
        return FileScope.AGENT in (row["scope_then"], row["scope_now"])
    return True


def _thing(row: Row, kind: str, now: datetime) -> RewindableThing:
    name = name_of(row["subject"])
    was, stays = row["was"] or kind == DATABASE, row["stays"]
    return RewindableThing(
        name=name,
        label=row["label"] or name,
        since="changed" if was and stays else "removed" if was else "added",
        newest=str(address(row["newest"])),
        writes=row["writes"],
        sessions=row["sessions"] or [],
        by_people=row["people"],
        time_passed=row["timed"] is not None and is_over_by_now(EntityKind(kind), row["timed"], now),
    )
