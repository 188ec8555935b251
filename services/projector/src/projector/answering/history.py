"""Searching what was said in an agent's sessions."""

import asyncio
from collections.abc import Sequence
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
from projections.schema import SCHEMA
from projections.segments import Segment, is_in
from projector.answering.snippets import snippet, words_of

log = structlog.get_logger()

_AT_ONCE = 4
_STATEMENT_MS = 5_000
_LOOKED_THROUGH = 20_000
"""How many of the agent's newest messages are looked through for parts of words: most have no index, and
scripts without spaces have no words."""
_HIDDEN = 4
"""So many times as many places are read as are wanted, since rewinds hide some."""
AWAY = HistoryAnswer(
    error="what was said in other sessions can't be searched now: Postgres doesn't answer. "
    "Nothing is lost; try again later"
)

_MESSAGES = """
    WITH mine AS (
        SELECT session_id, title, segments FROM sessions s
        WHERE agent_id = %(agent)s AND session_id IS DISTINCT FROM %(but)s
          AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.name = s.session_id)
    ), newest AS (
        SELECT m.session_id, m.place, m.role, m.text, m.time FROM messages m
        WHERE m.session_id IN (SELECT session_id FROM mine) AND m.role IN ('user', 'assistant')
        ORDER BY m.place DESC LIMIT %(looked_through)s
    ), found AS (
        SELECT session_id, place, role, text, time FROM newest
        WHERE (SELECT bool_and(strpos(lower(text), word) > 0) FROM unnest(%(words)s::text[]) word)
        UNION
        SELECT m.session_id, m.place, m.role, m.text, m.time FROM messages m
        WHERE to_tsvector('simple', left(m.text, 100000)) @@ plainto_tsquery('simple', %(query)s)
          AND m.session_id IN (SELECT session_id FROM mine) AND m.role IN ('user', 'assistant')
    )
    SELECT f.session_id, s.title, s.segments, f.place, f.role, f.text, f.time
    FROM found f JOIN mine s USING (session_id)
    ORDER BY f.place DESC LIMIT %(limit)s
"""
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
_TITLES = """
    SELECT session_id, title, segments, last_sequence, updated_at FROM sessions s
    WHERE agent_id = %(agent)s AND session_id IS DISTINCT FROM %(but)s AND title IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.name = s.session_id)
      AND (SELECT bool_and(strpos(lower(title), word) > 0) FROM unnest(%(words)s::text[]) word)
    ORDER BY updated_at DESC LIMIT %(limit)s
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
            psycopg.OperationalError,
        ) as error:
            log.warning("history.not_searched", reason=str(error).partition("\n")[0])
            given = AWAY
        return msgspec.json.encode(given)

    async def _search(self, asked: SearchHistory) -> HistoryAnswer:
        words = words_of(asked.query)
        limit = max(1, min(asked.limit, MOST_FOUND))
        if not words:
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
            parameters = {
                "agent": asked.agent_id,
                "but": asked.but,
                "words": words,
                "query": " ".join(words),
                "looked_through": _LOOKED_THROUGH,
                "limit": limit * _HIDDEN,
            }
            messages = await (await connection.execute(_MESSAGES, parameters)).fetchall()
            titles = await (await connection.execute(_TITLES, parameters | {"limit": limit})).fetchall()
            found = _newest(messages, titles, words)[:limit]
            pasts = {row["session_id"]: _segments(row["segments"]) for row in [*messages, *titles]}
            read = {segment[0] for one in found for segment in pasts[one.session_id]}
            rows = await connection.execute(_OUTSIDE, {"sessions": sorted(read)})
            sources: dict[str, Sources] = {}
            for row in await rows.fetchall():
                more = msgspec.convert(row["outside"], tuple[Source, ...])
                sources[row["of"]] = joined(sources.get(row["of"], ()), more)
        return HistoryAnswer(tuple(_marked(one, pasts[one.session_id], sources) for one in found))


def _marked(found: HistoryHit, past: Sequence[Segment], sources: dict[str, Sources]) -> HistoryHit:
    """With where the material came from that the session and what it was forked from have read."""
    outside: Sources = ()
    for segment in past:
        outside = joined(outside, sources.get(segment[0], ()))
    return msgspec.structs.replace(found, outside=outside)


def _newest(
    messages: Sequence[dict[str, Any]], titles: Sequence[dict[str, Any]], words: list[str]
) -> list[HistoryHit]:
    """What rewinds hid is left out, and a title where one of the session's messages was found."""
    said = [
        HistoryHit(
            session_id=row["session_id"],
            title=row["title"],
            role=row["role"],
            event=str(at_place(row["place"])),
            time=rfc3339(row["time"]),
            snippet=snippet(row["text"], words),
        )
        for row in messages
        if is_in(_segments(row["segments"]), (row["session_id"], row["place"]))
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
