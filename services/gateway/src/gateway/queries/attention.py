"""What waits for a person, in any session: questions, calls that need a yes, limits, failures …"""

from typing import get_args

import msgspec

from agent_contracts.api.waiting import WaitingKind, WaitingThing, WaitingThings
from agent_platform.process.clock import rfc3339
from gateway.queries import cursors
from gateway.queries.cursors import Cursor
from gateway.queries.database import ProjectionSnapshot, Row

_EXCERPT = 500
"""Characters of what a thing is about."""
_LATE_FOR = "7 days"
"""So long what came late is listed, unless a person writes in its chat, or archives that, before."""
_WANTED = f"""
    WITH waiting AS (
        SELECT CASE WHEN c.show->>'kind' = 'approval' THEN 'approval'
                    WHEN c.show->>'kind' = 'ask_user' THEN 'question' ELSE 'call' END AS kind,
               'call:' || c.session_id || ':' || c.call_id AS key, s.agent_id, s.session_id, s.title,
               c.call_id, c.tool,
               coalesce(
                   CASE WHEN c.show->>'kind' = 'approval' THEN coalesce(
                       nullif(concat_ws(' ', c.show->'covers'->>'method', c.arguments->>'url'), ''),
                       nullif(c.arguments->>'command', ''), c.show->>'rule') END,
                   CASE WHEN c.show->>'kind' = 'mcp_input' THEN c.show->>'title' END,
                   nullif(c.arguments->>'question', ''), nullif(c.arguments->>'reason', ''),
                   nullif(c.arguments->>'title', ''),
                   jsonb_path_query_first(c.arguments, '$.blocks[*].content') #>> '{{}}',
                   jsonb_path_query_first(c.arguments, '$.blocks[*].fields[*].label') #>> '{{}}',
                   c.arguments->>'component', '') AS text,
               c.requested_at AS since
        FROM sessions s JOIN tool_calls c USING (session_id)
        WHERE c.status = 'pending' AND (c.runs_on <> 'engine' OR c.show->>'kind' = 'approval')
              AND c.show->>'kind' IS DISTINCT FROM 'mcp_task'
              AND s.status IN ('running', 'waiting_for_input')
      UNION ALL
        SELECT 'limit', 'limit:' || s.session_id, s.agent_id, s.session_id, s.title, NULL, NULL,
               (s.usage->>'tokens') || ' of ' || s.token_limit, s.updated_at
        FROM sessions s WHERE s.status = 'token_limit_reached' AND s.parent_id IS NULL
      UNION ALL
        SELECT 'failure', 'failure:' || s.session_id || ':' || (s.failed_turn->>'failed_sequence'),
               s.agent_id, s.session_id, s.title, NULL, NULL, s.failed_turn->>'message', s.updated_at
        FROM sessions s
        WHERE s.status = 'idle' AND NOT s.woken
          AND s.failed_turn IS NOT NULL AND s.failed_turn->>'retry_at' IS NULL
          AND s.parent_id IS NULL
      UNION ALL
        SELECT 'outcome', 'outcome:' || c.session_id || ':' || c.call_id, s.agent_id, s.session_id, s.title,
               c.call_id, c.tool, coalesce(c.error->>'message', ''), c.finished_at
        FROM tool_calls c JOIN sessions s USING (session_id)
        WHERE c.error->>'kind' = 'outcome_unknown' AND NOT EXISTS (
            SELECT 1 FROM events e WHERE e.session_id = c.session_id
               AND e.type = 'foldline.session.outcome_settled.v1' AND e.body->>'call_id' = c.call_id)
      UNION ALL
        SELECT 'quarantine', 'quarantine:' || e.agent_id || ':' || t.name || ':' || t.sequence, e.agent_id,
               e.session_id, s.title, NULL, t.name, coalesce(e.body->>'message', ''), e.time
        FROM events e
        JOIN agent_tools t ON t.agent_id = e.agent_id AND t.name = e.body->>'tool'
             AND t.sequence = (e.body->>'written_at')::bigint AND t.enabled
        LEFT JOIN sessions s ON s.session_id = e.session_id
        WHERE e.type = 'foldline.session.tool_quarantined.v1' AND e.problem IS NULL
      UNION ALL
        SELECT 'late', 'late:' || e.session_id || ':' || e.place, s.agent_id, s.session_id, s.title, NULL,
               NULL, concat_ws(' ', e.body->>'message', e.body->>'late', e.body->'begun_by'->>'late'), e.time
        FROM events e JOIN sessions s USING (session_id)
        WHERE (e.body ? 'late' OR e.body->'begun_by' ? 'late') AND e.problem IS NULL
              AND e.type IN ('foldline.session.reminder_due.v1', 'foldline.session.created.v1')
              AND e.time > now() - interval '{_LATE_FOR}' AND s.status <> 'completed'
              AND NOT EXISTS (
            SELECT 1 FROM events said WHERE said.session_id = e.session_id AND said.place > e.place
               AND said.type = 'foldline.session.user_message.v1' AND said.actor = 'user')
    ), wanted AS (
        SELECT DISTINCT ON (key) * FROM waiting
        WHERE CASE WHEN %(agent_id)s::text IS NULL THEN NOT starts_with(agent_id, 'probe_')
                   ELSE agent_id = %(agent_id)s END
          AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.name = session_id)
        ORDER BY key, since
    )
"""
_COUNTS = f"{_WANTED} SELECT kind, count(*) AS number FROM wanted GROUP BY kind"
_PAGE = f"""{_WANTED}
    SELECT kind, key, agent_id, session_id, title, call_id, tool, left(text, {_EXCERPT}) AS text, since,
           (SELECT count(*) FROM wanted) AS total
    FROM wanted
    WHERE %(before)s::timestamptz IS NULL
       OR (since, key) < (%(before)s::timestamptz, %(before_key)s::text)
    ORDER BY since DESC, key DESC LIMIT %(limit)s
"""


async def page(
    snapshot: ProjectionSnapshot, agent_id: str | None, after: Cursor | None, limit: int
) -> WaitingThings:
    """The newest `limit` things that come after the cursor; of one agent, or of all."""
    rows, next_cursor = await cursors.page(snapshot, _PAGE, after, limit, ("since", "key"), agent_id=agent_id)
    return WaitingThings(
        items=[_thing(row) for row in rows],
        total=rows[0]["total"] if rows else 0,
        next_cursor=next_cursor,
    )


async def counts(snapshot: ProjectionSnapshot) -> dict[str, int]:
    """How many of each kind wait, in all agents' sessions."""
    rows = await snapshot.rows(_COUNTS, agent_id=None)
    return {**dict.fromkeys(get_args(WaitingKind), 0), **{row["kind"]: row["number"] for row in rows}}


def _thing(row: Row) -> WaitingThing:
    told = {name: row[name] for name in WaitingThing.__struct_fields__ if name in row}
    return msgspec.convert({**told, "started_at": rfc3339(row["since"])}, WaitingThing)
