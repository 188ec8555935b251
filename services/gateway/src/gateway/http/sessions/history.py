"""A session's history: its course, where one can stop in it, and what led to what."""

from typing import Annotated

from fastapi import Query

from agent_contracts.api.timeline import Outline, Timeline, Trace
from gateway.http.wire.parameters import (
    LIMIT,
    AddressCursor,
    After,
    At,
    MinSequence,
    SessionPath,
    Using,
)
from gateway.http.wire.resource import resource
from gateway.queries.timeline import TimelineQuery
from gateway.queries.timeline_views import Group

router = resource("history", "/sessions/{session_id}")


@router.get("/timeline", operation_id="getTimeline")
async def get_timeline(
    operations: Using,
    session_id: SessionPath,
    cursor: AddressCursor,
    limit: Annotated[int, Query(ge=1, le=500, description=LIMIT)] = 100,
    group: Annotated[Group | None, Query(description="Only entries of this group.")] = None,
    q: Annotated[
        str | None,
        Query(
            min_length=2,
            max_length=200,
            description="Only entries with these words, as `q` of `/sessions` has them.",
        ),
    ] = None,
    min_sequence: MinSequence = None,
) -> Timeline:
    """What happened in a session, newest first. A call and its result are one row."""
    return await operations.history.timeline(session_id, TimelineQuery(cursor, limit, group, q), min_sequence)


@router.get("/outline", operation_id="getOutline")
async def get_outline(
    operations: Using, session_id: SessionPath, after: After, min_sequence: MinSequence = None
) -> Outline:
    """Where one can stop in a session (after an address), its turns, and where its agent changed."""
    return await operations.history.outline(session_id, after, min_sequence)


@router.get("/trace", operation_id="getTrace")
async def get_trace(
    operations: Using,
    session_id: SessionPath,
    at: At,
    cursor: AddressCursor,
    limit: Annotated[int, Query(ge=1, le=500, description=LIMIT)] = 200,
) -> Trace:
    """The turn that event `at` is in or led to (else the newest), down to its sub-sessions, as spans."""
    return await operations.history.trace(session_id, at, cursor, limit)
