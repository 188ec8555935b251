"""Sessions as the projections hold them."""

from collections.abc import Mapping, Sequence
from typing import get_args

import msgspec

from agent_contracts.api.sessions import (
    Child,
    ForkOf,
    RelatedSession,
    Relative,
    Session,
    SessionNow,
    SessionSummary,
    SessionThinking,
)
from agent_contracts.api.wire import Page
from agent_contracts.log.address import at_place
from agent_contracts.session_events.inputs import Rating
from agent_contracts.session_events.results import Usage
from agent_contracts.sessions.session_view import SessionFailure, SessionStatus, TokensUsed
from agent_platform.process.clock import rfc3339
from gateway.queries import calls, cursors
from gateway.queries.cursors import Cursor
from gateway.queries.database import ProjectionSnapshot, Row
from gateway.queries.session_search import FoundSession, search_sessions
from gateway.queries.unprojected import NOTHING_NEWER, UnprojectedRows
from projections.message_search import SearchScope
from projections.search import Term, terms_of

STATUS = "CASE WHEN s.woken THEN 'running' ELSE s.status END"
"""A session is at work from the moment at which something was accepted that begins a turn: whoever was told
so must not read `idle` until an engine has taken it."""
_COLUMNS = f"""
    s.session_id, s.agent_id, s.parent_id, s.depth, s.title, {STATUS} AS status, s.model, s.token_limit,
    s.usage, s.error_kind, s.error_message, s.failed_turn, s.created_at, s.active_at, s.updated_at,
    s.last_sequence, s.forked_from_id, s.forked_from_sequence, s.begun_by, s.pinned, s.thinking_effort,
    s.thinking_budget, s.queued, s.open_model_call, s.cut_model_call, s.newest_model_call,
    s.attention_place
"""
_THERE = "NOT EXISTS (SELECT 1 FROM erasures e WHERE e.name = s.session_id)"
WANTED = f"""
    {_THERE} AND CASE WHEN %(agent_id)s::text IS NULL THEN NOT starts_with(s.agent_id, 'probe_')
               ELSE s.agent_id = %(agent_id)s END
      AND (%(status)s::text IS NULL OR {STATUS} = %(status)s)
      AND (%(parent_id)s::text IS NULL OR s.parent_id = %(parent_id)s)
      AND (%(id_prefix)s::text IS NULL OR starts_with(s.session_id, %(id_prefix)s))
      AND (%(rating)s::text IS NULL OR EXISTS (
            SELECT 1 FROM messages m WHERE m.session_id = s.session_id AND m.rating = %(rating)s))
"""
_PAGE = f"""
    SELECT {_COLUMNS} FROM sessions s
    WHERE {WANTED} AND (%(before)s::timestamptz IS NULL
           OR (s.active_at, s.session_id) < (%(before)s::timestamptz, %(before_key)s::text))
    ORDER BY s.active_at DESC, s.session_id DESC
    LIMIT %(limit)s
"""
_COUNTS = """
    SELECT s.status, count(*) AS number FROM sessions s
    WHERE NOT starts_with(s.agent_id, 'probe_') GROUP BY s.status
"""
_ONE = f"SELECT {_COLUMNS} FROM sessions s WHERE s.session_id = %(session_id)s"
_SEVERAL = f"SELECT {_COLUMNS}, s.segments FROM sessions s WHERE s.session_id = ANY(%(ids)s)"
_CHILDREN = f"""
    SELECT session_id AS id, title, {STATUS} AS status, parent_call_id AS call_id, usage
    FROM sessions s WHERE parent_id = %(session_id)s AND {_THERE} ORDER BY created_at, session_id
"""
_FORKS = f"""
    SELECT session_id AS id, title, {STATUS} AS status, forked_from_sequence AS fork_sequence FROM sessions s
    WHERE forked_from_id = %(session_id)s AND {_THERE} ORDER BY created_at, session_id
"""
_LINE = f"""
    WITH RECURSIVE up AS (
        SELECT session_id, forked_from_id, 0 AS steps FROM sessions WHERE session_id = %(session_id)s
        UNION ALL
        SELECT s.session_id, s.forked_from_id, up.steps + 1
        FROM sessions s JOIN up ON s.session_id = up.forked_from_id WHERE up.steps < %(limit)s
    ), line AS (
        SELECT session_id FROM (SELECT session_id FROM up ORDER BY steps DESC LIMIT 1) oldest
        UNION
        SELECT s.session_id FROM sessions s JOIN line ON s.forked_from_id = line.session_id
    )
    SELECT s.session_id AS id, s.title, {STATUS} AS status, s.forked_from_id,
           s.forked_from_sequence AS fork_sequence
    FROM sessions s JOIN line USING (session_id) WHERE {_THERE}
    ORDER BY s.created_at, s.session_id LIMIT %(limit)s
"""
_RELATED = f"""
    SELECT session_id AS id, title, {STATUS} AS status FROM sessions s
    WHERE session_id = ANY(%(ids)s) AND {_THERE}
"""
_FAMILY = """
    WITH RECURSIVE family AS (
        SELECT session_id, usage FROM sessions WHERE session_id = %(session_id)s
        UNION
        SELECT c.session_id, c.usage FROM sessions c JOIN family f ON c.parent_id = f.session_id
    )
    SELECT usage FROM family WHERE session_id <> %(session_id)s
"""


_LONGEST_LINE = 200
"""Sessions that have a history in common: more of them than anybody looks through."""


class SessionQuery(msgspec.Struct, frozen=True):
    """Which sessions; None: any. `q` is searched for in titles, messages and what people say of answers that
    they rate. `rating`: those with an answer that is rated so."""

    agent_id: str | None = None
    status: SessionStatus | None = None
    parent_id: str | None = None
    id_prefix: str | None = None
    q: str | None = None
    rating: Rating | None = None


async def counts(snapshot: ProjectionSnapshot) -> dict[str, int]:
    """How many sessions there are of each status."""
    rows = await snapshot.rows(_COUNTS)
    return {**dict.fromkeys(get_args(SessionStatus), 0), **{row["status"]: row["number"] for row in rows}}


async def page(
    snapshot: ProjectionSnapshot, wanted: SessionQuery, after: Cursor | None, limit: int
) -> Page[SessionSummary]:
    """The `limit` sessions after the cursor in which somebody spoke last; of a search, in which it was said
    last."""
    filters = msgspec.structs.asdict(wanted)
    terms = terms_of(filters.pop("q") or "")
    if terms:
        return await _searched(snapshot, terms, filters, after, limit)
    by = ("active_at", "session_id")
    rows, next_cursor = await cursors.page(snapshot, _PAGE, after, limit, by, **filters)
    return Page[SessionSummary](
        items=[msgspec.convert(_summary(row), SessionSummary) for row in rows], next_cursor=next_cursor
    )


async def _searched(
    snapshot: ProjectionSnapshot,
    terms: Sequence[Term],
    filters: dict[str, object],
    after: Cursor | None,
    limit: int,
) -> Page[SessionSummary]:
    if after is not None:
        cursors.require_number(after)
    narrow = any(filters[name] is not None for name in filters)
    scope = SearchScope(WANTED, filters, is_narrow=narrow)
    found = await search_sessions(snapshot, terms, scope, int(after.key) if after else None, limit + 1)
    shown = found[:limit]
    rows = {row["session_id"]: row for row in await several(snapshot, [one.session_id for one in shown])}
    return Page[SessionSummary](
        items=[
            msgspec.convert({**_summary(rows[one.session_id]), "found": one.match}, SessionSummary)
            for one in shown
        ],
        next_cursor=_cursor(rows, shown[-1]) if len(found) > limit else None,
    )


def _cursor(rows: Mapping[str, Row], last: FoundSession) -> str:
    return cursors.write(Cursor(rows[last.session_id]["active_at"], str(last.place)))


async def one(
    snapshot: ProjectionSnapshot, session_id: str, newer: UnprojectedRows = NOTHING_NEWER
) -> Session | None:
    """A session with its open calls and the sessions around it."""
    rows = [newer.session] if newer.session else await snapshot.rows(_ONE, session_id=session_id)
    if not rows:
        return None
    ids = [rows[0]["parent_id"], rows[0]["forked_from_id"]]
    related = {
        row["id"]: msgspec.convert(row, RelatedSession) for row in await snapshot.rows(_RELATED, ids=ids)
    }
    family = await snapshot.rows(_FAMILY, session_id=session_id)
    children = await snapshot.rows(_CHILDREN, session_id=session_id)
    forks = await snapshot.rows(_FORKS, session_id=session_id)
    line = await snapshot.rows(_LINE, session_id=session_id, limit=_LONGEST_LINE)
    return msgspec.convert(
        {
            **_now(rows[0]),
            "open_calls": await calls.open_calls(snapshot, session_id, newer),
            "children": [msgspec.convert(row, Child) for row in children],
            "forks": [msgspec.convert(row, ForkOf) for row in forks],
            "family": [msgspec.convert(row, Relative) for row in line] if len(line) > 1 else [],
            "parent": related.get(ids[0]),
            "origin": related.get(ids[1]),
            "usage_with_children": _in_all([rows[0], *family]),
        },
        Session,
    )


async def several(snapshot: ProjectionSnapshot, session_ids: list[str]) -> list[Row]:
    """The rows of those of these sessions that are known, with the parts of their conversations."""
    return await snapshot.rows(_SEVERAL, ids=session_ids)


def now(row: Row) -> SessionNow:
    """A row as the stream of events has it."""
    return msgspec.convert(_now(row), SessionNow)


def _now(row: Row) -> dict[str, object]:
    calls_of_models = ("open_model_call", "cut_model_call", "newest_model_call")
    return {
        **_summary(row),
        **{name: row[name] for name in calls_of_models},
        "queued": [str(at_place(place)) for place in row["queued"]],
        "attention": calls.address(row["attention_place"]),
    }


def _summary(row: Row) -> dict[str, object]:
    failed = row["error_kind"] is not None
    return {
        **{name: row[name] for name in SessionSummary.__struct_fields__ if name in row},
        "id": row["session_id"],
        "thinking": _thinking(row),
        "error": SessionFailure(kind=row["error_kind"], message=row["error_message"] or "")
        if failed
        else None,
        "created_at": rfc3339(row["created_at"]),
        "active_at": rfc3339(row["active_at"]),
        "updated_at": rfc3339(row["updated_at"]),
    }


def _thinking(row: Row) -> SessionThinking | None:
    effort, budget = row["thinking_effort"], row["thinking_budget"]
    return None if effort is None and budget is None else SessionThinking(effort=effort, budget=budget)


def _in_all(family: list[Row]) -> TokensUsed:
    used = [msgspec.convert(row["usage"], Usage) for row in family]
    return TokensUsed.of(sum(used, Usage(0, 0)))
