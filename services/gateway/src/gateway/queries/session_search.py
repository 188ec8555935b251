"""In which sessions something was said, or which are called so."""

from collections.abc import Sequence

import msgspec

from agent_contracts.api.sessions import SessionMatch
from gateway.queries.database import ProjectionSnapshot
from projections.message_search import SearchScope, message_condition, newest_found
from projections.search import Term, condition, parameters, snippet

_NO_END = 2**63 - 1
_LAST_PLACE = "(4096 * s.last_sequence + 4095)"
"""A title counts as said where the session ends."""
_TITLE = "searchable(s.title)"
_TITLED = f"""
    SELECT s.session_id, {_LAST_PLACE} AS place FROM {{source}} s
    WHERE {{condition}} AND {{sessions}} AND {_LAST_PLACE} < %(below)s
    ORDER BY s.last_sequence DESC LIMIT %(limit)s
"""
_NEWEST = "(SELECT * FROM sessions ORDER BY updated_at DESC, session_id DESC LIMIT 2000)"
"""Where titles are read, since no index helps."""
_SHOWN_BEFORE = f"""
    SELECT s.session_id FROM sessions s
    WHERE s.session_id = ANY(%(ids)s) AND (({_LAST_PLACE} >= %(from)s AND {{title}}) OR EXISTS (
        SELECT 1 FROM messages m
        WHERE m.session_id = s.session_id AND m.place >= %(from)s AND {{message}}))
"""
_TEXTS = """
    SELECT session_id, concat_ws(E'\\n', left(text, 100000), rating_text) AS text
    FROM unnest(%(ids)s::text[], %(places)s::bigint[]) AS w (session_id, place)
    JOIN messages m USING (session_id, place)
"""


class FoundSession(msgspec.Struct, frozen=True):
    """A session, the newest place where it has what was searched for, and what that says."""

    session_id: str
    place: int
    match: SessionMatch


async def search_sessions(
    snapshot: ProjectionSnapshot, terms: Sequence[Term], scope: SearchScope, below: int | None, limit: int
) -> list[FoundSession]:
    """The `limit` sessions with the newest places that have all terms, below a place: each by its newest."""
    title, given = condition(terms, _TITLE), {**scope.parameters, **parameters(terms)}
    titled = await snapshot.rows(
        _TITLED.format(
            condition=title,
            sessions=scope.sessions,
            source="sessions" if any(term.is_indexed for term in terms) else _NEWEST,
        ),
        **given,
        below=_NO_END if below is None else below,
        limit=limit,
    )
    called = {row["session_id"]: row["place"] for row in titled}
    said: dict[str, int] = {}
    hidden: set[str] = set()
    searched = await message_condition(snapshot.rows, terms)
    async for step in newest_found(snapshot.rows, searched, scope, _NO_END if below is None else below):
        new: dict[str, int] = {}
        for session_id, place in step:
            if session_id not in said and session_id not in hidden:
                new.setdefault(session_id, place)
        if below is not None and new:
            before = await snapshot.rows(
                _SHOWN_BEFORE.format(title=title, message=searched.sql),
                **parameters(terms),
                **searched.parameters,
                **{"ids": [*new], "from": below},
            )
            hidden |= {row["session_id"] for row in before}
        said |= {session_id: place for session_id, place in new.items() if session_id not in hidden}
        if len(said) >= limit:
            break
    places = {**said, **called}
    newest = sorted(places, key=lambda one: places[one], reverse=True)[:limit]
    spoken = [one for one in newest if one in said]
    rows = await snapshot.rows(_TEXTS, ids=spoken, places=[said[one] for one in spoken])
    texts = {row["session_id"]: snippet(row["text"], terms) for row in rows}
    return [FoundSession(one, places[one], SessionMatch(snippet=texts.get(one))) for one in newest]
