"""Events: a session's, page by page from the log, and everything live."""

from contextlib import aclosing
from typing import Annotated

import msgspec
from fastapi import APIRouter, Header, Query

from gateway.deps import MAX_SEQUENCE, AgentFilter, MinSequence, SessionFilter, SessionPath, Using, Watched
from gateway.http.problems import Kind, ProblemError
from gateway.live.event_view import event_view
from gateway.live.stream import EventStream
from gateway.live.subscription import Wanted
from gateway.queries import timeline
from gateway.queries.checkpoint import wait_for
from gateway.queries.timeline_views import Group, Timeline
from gateway.queries.views import Event, Events

router = APIRouter(tags=["events"])

_PAGE_BYTES = 8 * 1024 * 1024

Position = Annotated[int | None, Query(ge=0, le=MAX_SEQUENCE, description="only events after this sequence")]


@router.get("/sessions/{session_id}/events", operation_id="listEvents")
async def list_events(
    deps: Using,
    session_id: SessionPath,
    after: Position = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    type: Annotated[
        str | None, Query(max_length=100, description="a type's name, or its short one: `user_message`")
    ] = None,
) -> Events:
    """A session's events as they stand in the log, oldest first."""
    session = await deps.directory.find(session_id)
    found: list[Event] = []
    size, more = 0, False
    stored = deps.log.read(session.key.everything, after=after or 0)
    async with aclosing(stored) as messages:  # type: ignore[type-var]
        async for message in messages:
            view = event_view(message)
            if type is not None and type != view.type and type not in view.type.split("."):
                continue
            if len(found) == limit or size > _PAGE_BYTES:
                more = True
                break
            found.append(Event.model_validate(msgspec.structs.asdict(view)))
            size += len(message.data)
    return Events(events=found, next_after=found[-1].sequence if more else None)


@router.get("/sessions/{session_id}/timeline", operation_id="getTimeline")
async def get_timeline(
    deps: Using,
    session_id: SessionPath,
    before: Annotated[int | None, Query(ge=0, le=MAX_SEQUENCE, description="only events before this")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    group: Annotated[Group | None, Query(description="only events of this group")] = None,
    min_sequence: MinSequence = None,
) -> Timeline:
    """A session's events in short, newest first: for a list that one can look through."""
    session = await deps.directory.find(session_id)
    await wait_for(deps.database, max(min_sequence or 0, session.created), deps.settings.projection_wait_s)
    async with deps.database.snapshot() as snapshot:
        return await timeline.page(snapshot, session_id, before, limit, group)


@router.get("/events", operation_id="streamEvents", status_code=200, response_class=EventStream)
async def stream_events(
    deps: Using,
    session_id: SessionFilter,
    agent_id: AgentFilter,
    watch: Watched,
    after: Position = None,
    last_event_id: Annotated[
        str | None, Header(alias="Last-Event-ID", description="as `after`, which it overrules")
    ] = None,
) -> EventStream:
    """Events as they happen, as server-sent events.

    `event: event` carries an Event, its `id` is the log sequence; `event: delta` carries a Delta and has no
    id. Deltas come of the session that the stream is of, and of the sessions to `watch`. A stream that
    begins in the middle of such an answer gets what came of it so far as `event: answer`: `call_id`,
    `attempt`, the `next` delta's index, `text`, `tools`, and whether a part is missing (`gaps`). With
    `after` or `Last-Event-ID` the stream begins there, with no gap and no repeat. A client that reads too
    slowly is disconnected, and can resume.
    """
    deps.feed.check_following()
    start = after if last_event_id is None else _sequence(last_event_id)
    if session_id is not None:
        await deps.directory.find(session_id)
    if start is None:
        start = deps.feed.position
    elif start > deps.feed.position and start > (newest := await deps.log.last_sequence()):
        raise ProblemError(Kind.INVALID_REQUEST, f"the log ends at event {newest}, before event {start}")
    wanted = Wanted(session_id=session_id, agent_id=agent_id, watch=watch)
    return EventStream(deps.log, deps.feed, deps.streams, wanted, start, deps.settings.stream_timing)


def _sequence(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text[:20]) <= MAX_SEQUENCE):
        raise ProblemError(Kind.INVALID_REQUEST, "Last-Event-ID must be the sequence of an event")
    return int(text[:20])
