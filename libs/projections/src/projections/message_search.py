"""Finding messages in all sessions, newest first, in steps whose cost doesn't grow with what there is."""

from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from projections.search import Term, are_indexed, condition, parameters

_BLOCK_BITS = 24
"""Of a place: 4,096 records, as the index `messages_by_text` has them."""
_STEPS = (2, 8, 32)
"""Blocks, newest first. A word that is in too few of these messages is rare enough to be looked up in all."""
_FEW_SESSIONS = 200
"""So many are searched one by one."""
_MOST = 5_000
"""Messages that one step finds at most."""

SEARCHED = "searchable(m.text, m.rating_text)"

_NEWEST = "SELECT max(place) AS place FROM events"
_SESSIONS = "SELECT s.session_id FROM sessions s WHERE {sessions} LIMIT {few}"
_IN_BLOCKS = """
    SELECT m.session_id, m.place FROM generate_series(%(newest)s::bigint, %(oldest)s::bigint, -1) AS b (block)
    CROSS JOIN LATERAL (
        SELECT m.session_id, m.place FROM messages m
        WHERE m.place >> {bits} = b.block AND {condition} AND {messages} AND m.place < %(below)s
        OFFSET 0 -- block after block: one look at all blocks would read what the whole log has of it
    ) m JOIN sessions s USING (session_id)
    WHERE {sessions} ORDER BY m.place DESC LIMIT {most}
"""
_IN_ALL = """
    WITH m AS MATERIALIZED (
        SELECT m.session_id, m.place FROM messages m
        WHERE {condition} AND {messages} AND m.place < %(below)s
    )
    SELECT m.session_id, m.place FROM m JOIN sessions s USING (session_id)
    WHERE {sessions} ORDER BY m.place DESC LIMIT {most}
"""
_IN_SESSIONS = """
    SELECT m.session_id, m.place FROM unnest(%(among)s::text[]) AS s (session_id)
    CROSS JOIN LATERAL (
        SELECT m.session_id, m.place FROM messages m
        WHERE m.session_id = s.session_id AND {condition} AND {messages} AND m.place < %(below)s
        ORDER BY m.place DESC LIMIT {most}
    ) m
    ORDER BY m.place DESC LIMIT {most}
"""


class ReadRows(Protocol):
    """Reads the rows of a query with named parameters."""

    def __call__(self, sql: str, **parameters: object) -> Awaitable[list[Mapping[str, Any]]]:
        """The rows, by the names of their columns."""
        ...


class Scope(msgspec.Struct, frozen=True):
    """Which messages `m` of which sessions `s`, as SQL with parameters. `is_narrow`: there may be few."""

    sessions: str
    parameters: Mapping[str, object]
    messages: str = "true"
    is_narrow: bool = False


Found = tuple[str, int]
"""A message: its session's id and its place."""


async def newest_found(
    rows: ReadRows, terms: Sequence[Term], scope: Scope, below: int
) -> AsyncIterator[list[Found]]:
    """The messages below a place that have all terms, newest first, step by step: take as many as you need.

    Terms that no index helps to find are looked for in the newest messages alone.
    """
    given = {**scope.parameters, **parameters(terms), "below": below}
    parts = {
        "condition": condition(terms, SEARCHED),
        "messages": scope.messages,
        "sessions": scope.sessions,
        "bits": _BLOCK_BITS,
        "most": _MOST,
    }
    if scope.is_narrow:
        few = _SESSIONS.format(sessions=scope.sessions, few=_FEW_SESSIONS + 1)
        among = [row["session_id"] for row in await rows(few, **scope.parameters)]
        if len(among) <= _FEW_SESSIONS:
            async for found in _all_of(rows, _IN_SESSIONS.format(**parts), {**given, "among": among}):
                yield found
            return
    newest = (await rows(_NEWEST))[0]["place"] or 0
    block = min(below - 1, newest) >> _BLOCK_BITS
    indexed = are_indexed(terms)
    for step in _STEPS if indexed else _STEPS[:1]:
        oldest = max(0, block - step + 1)
        within = {**given, "newest": block, "oldest": oldest}
        async for found in _all_of(rows, _IN_BLOCKS.format(**parts), within):
            yield found
        if oldest == 0:
            return
        block = oldest - 1
    if indexed:
        rest = {**given, "below": (block + 1) << _BLOCK_BITS}
        async for found in _all_of(rows, _IN_ALL.format(**parts), rest):
            yield found


async def _all_of(rows: ReadRows, sql: str, given: Mapping[str, object]) -> AsyncIterator[list[Found]]:
    """What a query finds, `_MOST` at a time."""
    while found := [(row["session_id"], row["place"]) for row in await rows(sql, **given)]:
        yield found
        if len(found) < _MOST:
            return
        given = {**given, "below": found[-1][1]}
