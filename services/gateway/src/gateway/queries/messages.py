"""Pages of a session's messages."""

import msgspec

from agent_contracts.api.calls import ToolCall
from agent_contracts.api.messages import FoundMessage, Message, Messages
from agent_contracts.api.wire import Page
from agent_contracts.log.address import Address, at_place
from agent_platform.process.clock import rfc3339
from gateway.queries import calls, sessions
from gateway.queries.checkpoint import checkpoint
from gateway.queries.conversation import segments_of
from gateway.queries.database import ProjectionSnapshot, Row
from gateway.queries.unprojected import NOTHING_NEWER, UnprojectedRows
from projections.message_search import message_condition
from projections.search import terms_of
from projections.segments import Place, Segment, hidden_by

_PARTS = "SELECT inherited, segments FROM sessions WHERE session_id = %(session_id)s"
_PAGE = """
    SELECT * FROM messages
    WHERE session_id = %(session_id)s AND place > %(after)s AND place < %(below)s
    ORDER BY place DESC
    LIMIT %(limit)s
"""

_FOUND = """
    SELECT m.session_id, m.place FROM messages m
    WHERE m.session_id = %(session_id)s AND m.place > %(after)s AND m.place < %(below)s AND {condition}
    ORDER BY place DESC
    LIMIT %(limit)s
"""

_NO_END = 2**63 - 1


async def page(
    snapshot: ProjectionSnapshot,
    session_id: str,
    before: Address | None,
    limit: int,
    newer: UnprojectedRows = NOTHING_NEWER,
) -> Messages:
    """The newest `limit` messages before `before`, oldest first.

    A fork's go on into the session that it was forked from. What a rewind hid is among them, and marked.
    """
    below = _NO_END if before is None else before.place
    known = [newer.session] if newer.session else await snapshot.rows(_PARTS, session_id=session_id)
    inherited: list[Segment] = [tuple(part) for one in known for part in one["inherited"]]
    segments: list[Segment] = [tuple(part) for one in known for part in one["segments"]]
    found = await _newest(snapshot, [*inherited, (session_id, 0, None)], below, limit + 1)
    rows = newer.over_messages(found, below, limit + 1)
    shown = rows[:limit][::-1]
    owners = sorted({row["session_id"] for row in shown})
    asked_for = await calls.of_messages(snapshot, owners, [row["place"] for row in shown], newer)
    return Messages(
        items=[
            message(row, asked_for.get(row["place"], []), hidden_by(segments, session_id, _place(row)))
            for row in shown
        ],
        next_cursor=str(at_place(shown[0]["place"])) if len(rows) > limit else None,
        sequence=max(await checkpoint(snapshot), newer.up_to),
        session=await sessions.one(snapshot, session_id, newer) if before is None else None,
    )


async def found(
    snapshot: ProjectionSnapshot, session_id: str, q: str, before: Address | None, limit: int
) -> Page[FoundMessage]:
    """The newest `limit` messages of the conversation, as it is now, that have what is searched for."""
    terms = terms_of(q)
    if not terms:
        return Page[FoundMessage](items=[])
    searched = await message_condition(snapshot.rows, terms)
    end = _NO_END if before is None else before.place
    hits: list[Row] = []
    for owner, after, up_to in reversed(await segments_of(snapshot, session_id)):
        if len(hits) <= limit:
            hits += await snapshot.rows(
                _FOUND.format(condition=searched.sql),
                **searched.parameters,
                session_id=owner,
                after=after,
                below=end if up_to is None else min(end, up_to + 1),
                limit=limit + 1 - len(hits),
            )
    shown = [
        FoundMessage(session_id=hit["session_id"], address=str(at_place(hit["place"])))
        for hit in hits[:limit]
    ]
    return Page[FoundMessage](items=shown[::-1], next_cursor=shown[-1].address if len(hits) > limit else None)


async def _newest(snapshot: ProjectionSnapshot, parts: list[Segment], below: int, limit: int) -> list[Row]:
    """The newest rows of these parts below a place, newest first.

    One query for each part that it reaches into, with plain bounds: given a join with the parts, Postgres
    expects few rows of any, and reads a whole session to sort it.
    """
    rows: list[Row] = []
    for owner, after, up_to in reversed(parts):
        if len(rows) < limit:
            end = min(below, _NO_END if up_to is None else up_to + 1)
            rows += await snapshot.rows(
                _PAGE, session_id=owner, after=after, below=end, limit=limit - len(rows)
            )
    return rows


def _place(row: Row) -> Place:
    return row["session_id"], row["place"]


def message(row: Row, tool_calls: list[ToolCall], hidden: int | None) -> Message:
    """A row as the API shows it, with the calls that it asked for, and the rewind (its place) that hid it."""
    body = row["body"]
    usage = body.get("usage")
    summarised = row["role"] == "summary"
    return msgspec.convert(
        {
            "session_id": row["session_id"],
            "address": str(at_place(row["place"])),
            "sequence": at_place(row["place"]).sequence,
            "role": row["role"],
            "text": row["text"],
            "created_at": rfc3339(row["time"]),
            "model_call_id": row["model_call_id"],
            "model": body.get("model"),
            "usage": usage or None,
            "files": body.get("files") or [],
            "tool_calls": tool_calls,
            "source": body.get("source"),
            "refused": body.get("refused"),
            "incomplete": body.get("incomplete"),
            "cut_words": body.get("cut_words"),
            "thinking": body.get("thinking"),
            "adapted": body.get("adapted") or (),
            "tried": body.get("tried") or (),
            "woken_by": body.get("woken_by"),
            "client": body.get("client"),
            "speaker": body.get("speaker"),
            "prompt": body.get("prompt"),
            "wake_type": body.get("wake_type"),
            "error_kind": body.get("kind") if row["role"] == "error" else None,
            "hidden_by": calls.address(hidden),
            "rating": row["rating"],
            "rating_text": row["rating_text"],
            "shadows": {"first": body["first"], "last": body["last"]} if summarised else None,
        },
        Message,
    )
