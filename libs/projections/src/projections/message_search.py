"""Finding messages in all sessions, newest first, in steps whose cost doesn't grow with what there is."""

from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from projections.search import Term, condition, is_wide, parameters

_BLOCK_BITS = 24
"""Of a place: 4,096 records, as the index `messages_by_word` has them."""
_STEPS = (2, 6)
"""Blocks, newest first. A word that is in too few of these messages is rare enough to be looked up in all."""
_FEW_SESSIONS = 200
"""So many are searched one by one."""
_MOST = 5_000
"""Messages that one step finds at most."""

_MOST_WORDS = 200
"""A part of a word is looked for in so many words that have it, the shortest; each is one more look-up."""

_SEARCHED = "searchable(m.text, m.rating_text)"
_PIECES = "SELECT term.number, unnest(tsvector_to_array(words_of(term.text))) AS piece FROM {terms}"
_TERMS = "unnest(%(numbers)s::int[], %(texts)s::text[]) AS term (number, text)"
_WORDS = """
    SELECT ARRAY(
        SELECT word FROM message_words
        WHERE word LIKE p.pattern ORDER BY length(word), word LIMIT {most}
    ) AS words
    FROM unnest(%(patterns)s::text[]) AS p (pattern)
"""
_NEWEST = "SELECT max(place) AS place FROM events"
_SESSIONS = "SELECT s.session_id FROM sessions s WHERE {sessions} LIMIT {few}"
_IN_BLOCKS = """
    SELECT m.session_id, m.place FROM generate_series(%(newest)s::bigint, %(oldest)s::bigint, -1) AS b (block)
    CROSS JOIN LATERAL (
        SELECT m.session_id, m.place FROM messages m
        WHERE m.place >> {bits} = b.block AND {condition} AND {messages} AND m.place + 0 < %(below)s
        OFFSET 0 -- block after block: one look at all blocks would read what the whole log has of it
    ) m JOIN sessions s USING (session_id)
    WHERE {sessions} ORDER BY m.place DESC LIMIT {most}
"""
_IN_ALL = """
    WITH m AS MATERIALIZED (
        SELECT m.session_id, m.place FROM messages m
        WHERE {condition} AND {messages} AND m.place + 0 < %(below)s -- + 0: not by the primary key
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


class SearchScope(msgspec.Struct, frozen=True):
    """Which messages `m` of which sessions `s`, as SQL with parameters. `is_narrow`: there may be few."""

    sessions: str
    parameters: Mapping[str, object]
    messages: str = "true"
    is_narrow: bool = False


Found = tuple[str, int]
"""A message: its session's id and its place."""


class MessageCondition(msgspec.Struct, frozen=True):
    """What messages `m` are searched for, as SQL with parameters. `is_indexed`: it needn't read them all."""

    sql: str
    parameters: Mapping[str, object]
    is_indexed: bool


async def message_condition(rows: ReadRows, terms: Sequence[Term]) -> MessageCondition:
    """The condition of the messages that have all terms, by the words there are that have their parts."""
    numbers = [*range(len(terms))]
    asked = await rows(_PIECES.format(terms=_TERMS), numbers=numbers, texts=[term.text for term in terms])
    pieces = [(row["number"], row["piece"]) for row in asked]
    found = await rows(
        _WORDS.format(most=_MOST_WORDS),
        patterns=[_pattern(terms[number], piece) for number, piece in pieces],
    )
    looked_up = {
        f"words{at}": " | ".join(f"'{word}'" for word in row["words"]) for at, row in enumerate(found)
    }
    if not all(looked_up.values()):
        return MessageCondition("false", {}, is_indexed=True)
    # A word of letters and digits is found by its words alone; others have to be compared, too.
    plain = {number for number, term in enumerate(terms) if term.is_plain or term.kind == "start"}
    compared = [term for number, term in enumerate(terms) if number not in plain]
    parts = [f"words_of(m.text, m.rating_text) @@ %({name})s::tsquery" for name in looked_up]
    if compared:
        parts.append(condition(compared, _SEARCHED))
    return MessageCondition(" AND ".join(parts), {**looked_up, **parameters(compared)}, bool(looked_up))


def _pattern(term: Term, piece: str) -> str:
    """The LIKE pattern of the words that a text may have for a piece of a term: of letters and digits."""
    if term.kind == "phrase" or is_wide(piece):
        return piece
    return f"{piece}%" if term.kind == "start" else f"%{piece}%"


async def newest_found(
    rows: ReadRows, searched: MessageCondition, scope: SearchScope, below: int
) -> AsyncIterator[list[Found]]:
    """The messages below a place that are searched for, newest first, step by step: take as many as you need.

    What no index helps to find is looked for in the newest messages alone.
    """
    given = {**scope.parameters, **searched.parameters, "below": below}
    parts = {
        "condition": searched.sql,
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
    for step in _STEPS if searched.is_indexed else _STEPS[:1]:
        oldest = max(0, block - step + 1)
        within = {**given, "newest": block, "oldest": oldest}
        async for found in _all_of(rows, _IN_BLOCKS.format(**parts), within):
            yield found
        if oldest == 0:
            return
        block = oldest - 1
    if searched.is_indexed:
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
