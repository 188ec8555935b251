"""Searching what was said in an agent's sessions."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import psycopg
import structlog
from psycopg.rows import dict_row

from agent_contracts.log.address import at_place
from agent_contracts.outside import Source, Sources, joined
from agent_contracts.questions.history_search import MOST_FOUND, HistoryAnswer, HistoryHit, SearchHistory
from agent_platform.process.clock import rfc3339
from projections.connecting import connected
from projections.message_search import Found, ReadRows, SearchScope, message_condition, newest_found
from projections.schema import SCHEMA
from projections.search import Term, condition, parameters, snippet, terms_of
from projections.segments import Segment, is_in

log = structlog.get_logger()

_AT_ONCE = 4
_STATEMENT_MS = 5_000
_NO_END = 2**63 - 1
AWAY = HistoryAnswer(
    error="what was said in other sessions can't be searched now: Postgres doesn't answer. "
    "Nothing is lost; try again later"
)

_MINE = """
    s.agent_id = %(agent)s AND s.session_id IS DISTINCT FROM %(but)s
    AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.name = s.session_id)
"""
_MESSAGES = """
    SELECT m.session_id, s.title, s.segments, m.place, m.role, left(m.text, 100000) AS text, m.time
    FROM unnest(%(ids)s::text[], %(places)s::bigint[]) AS w (session_id, place)
    JOIN messages m USING (session_id, place) JOIN sessions s USING (session_id)
    ORDER BY m.place DESC
"""
_SEGMENTS = "SELECT session_id, segments FROM sessions WHERE session_id = ANY(%(ids)s)"
_OUTSIDE = """
    WITH RECURSIVE above AS (
        SELECT name AS of, name AS session_id FROM unnest(%(sessions)s::text[]) name
        UNION
        SELECT a.of, s.parent_id FROM above a JOIN sessions s USING (session_id) WHERE s.parent_id IS NOT NULL
    )
    SELECT a.of, c.outside FROM above a JOIN tool_calls c USING (session_id) WHERE c.outside IS NOT NULL
    UNION ALL
    SELECT a.of, jsonb_build_array(jsonb_build_object(
        'kind', CASE WHEN m.body->>'woken_by' IS NOT NULL THEN 'wake'
                     WHEN m.body->>'client' IS NOT NULL THEN 'peer' ELSE 'mcp' END,
        'name', coalesce(m.body->>'woken_by', m.body->>'client', m.body#>>'{prompt,server}')))
    FROM above a JOIN messages m USING (session_id)
    WHERE m.role = 'user'
      AND coalesce(m.body->>'woken_by', m.body->>'client', m.body#>>'{prompt,server}') IS NOT NULL
    LIMIT 2000
"""
"""What a session's calls, and those of the sessions above it, have read from outside."""
_TITLES = f"""
    SELECT s.session_id, s.title, s.segments, s.last_sequence, s.updated_at FROM sessions s
    WHERE {{condition}} AND {_MINE} ORDER BY s.updated_at DESC LIMIT %(limit)s
"""


class HistoryAnswerer:
    """Answers from the tables, a few questions at a time."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def answer(self, question: bytes) -> bytes:
        """The `HistoryAnswer` to a `SearchHistory`, as JSON."""
        asked = msgspec.json.decode(question, type=SearchHistory)
        try:
            async with self._turns:
                given = await self._search(asked)
        except (
            psycopg.errors.UndefinedTable,
            psycopg.errors.UndefinedColumn,
            psycopg.errors.UndefinedFunction,
            psycopg.OperationalError,
        ) as error:
            log.warning("history.not_searched", reason=str(error).partition("\n")[0])
            given = AWAY
        return msgspec.json.encode(given)

    async def _search(self, asked: SearchHistory) -> HistoryAnswer:
        terms = terms_of(asked.query)
        limit = max(1, min(asked.limit, MOST_FOUND))
        if not terms:
            return HistoryAnswer()
        told = {
            "search_path": SCHEMA,
            "statement_timeout": _STATEMENT_MS,
            "default_transaction_read_only": "on",
        }
        options = " ".join(f"-c {name}={value}" for name, value in told.items())
        async with connected(
            self._dsn,
            autocommit=True,
            row_factory=dict_row,
            application_name="projector: history",
            connect_timeout=3,
            options=options,
        ) as connection:

            async def rows(sql: str, **given: object) -> list[Mapping[str, Any]]:
                return [*await (await connection.execute(sql, given)).fetchall()]

            mine = {"agent": asked.agent_id, "but": asked.but}
            messages = await _said(rows, terms, mine, limit)
            titles = await rows(
                _TITLES.format(condition=condition(terms, "searchable(s.title)")),
                **mine,
                **parameters(terms),
                limit=limit,
            )
            found = _newest(messages, titles, terms)[:limit]
            pasts = {row["session_id"]: _segments(row["segments"]) for row in [*messages, *titles]}
            read = {segment[0] for one in found for segment in pasts[one.session_id]}
            sources: dict[str, Sources] = {}
            for row in await rows(_OUTSIDE, sessions=sorted(read)):
                more = msgspec.convert(row["outside"], tuple[Source, ...])
                sources[row["of"]] = joined(sources.get(row["of"], ()), more)
        return HistoryAnswer(tuple(_marked(one, pasts[one.session_id], sources) for one in found))


async def _said(
    rows: ReadRows, terms: Sequence[Term], mine: Mapping[str, object], limit: int
) -> list[Mapping[str, Any]]:
    """The newest messages of the agent's conversations as they are now, which rewinds have not hidden."""
    scope = SearchScope(_MINE, mine, "m.role IN ('user', 'assistant')", is_narrow=True)
    segments: dict[str, Sequence[Segment]] = {}
    said: list[Found] = []
    async for step in newest_found(rows, await message_condition(rows, terms), scope, _NO_END):
        unknown = sorted({session_id for session_id, _ in step if session_id not in segments})
        for row in await rows(_SEGMENTS, ids=unknown):
            segments[row["session_id"]] = _segments(row["segments"])
        said += [one for one in step if is_in(segments[one[0]], one)]
        if len(said) >= limit:
            break
    ids, places = [one[0] for one in said[:limit]], [one[1] for one in said[:limit]]
    return await rows(_MESSAGES, ids=ids, places=places)


def _marked(found: HistoryHit, past: Sequence[Segment], sources: dict[str, Sources]) -> HistoryHit:
    """With where the material came from that the session and what it was forked from have read."""
    outside: Sources = ()
    for segment in past:
        outside = joined(outside, sources.get(segment[0], ()))
    return msgspec.structs.replace(found, outside=outside)


def _newest(
    messages: Sequence[Mapping[str, Any]], titles: Sequence[Mapping[str, Any]], terms: Sequence[Term]
) -> list[HistoryHit]:
    """A title is left out where one of the session's messages was found."""
    said = [
        HistoryHit(
            session_id=row["session_id"],
            title=row["title"],
            role=row["role"],
            event=str(at_place(row["place"])),
            time=rfc3339(row["time"]),
            snippet="".join(part.text for part in snippet(row["text"], terms)).strip(),
        )
        for row in messages
    ]
    known = {one.session_id for one in said}
    called = [
        HistoryHit(
            session_id=row["session_id"],
            title=row["title"],
            role="title",
            event=str(row["last_sequence"]),
            time=rfc3339(row["updated_at"]),
            snippet=row["title"],
        )
        for row in titles
        if row["session_id"] not in known
    ]
    return sorted([*said, *called], key=lambda one: one.time, reverse=True)


def _segments(column: list[list[Any]]) -> list[Segment]:
    return [(part[0], part[1], part[2]) for part in column]
