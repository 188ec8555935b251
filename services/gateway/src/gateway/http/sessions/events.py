"""Events: a session's, page by page from the log, and everything live."""

from typing import Annotated

from fastapi import Header, Query

from agent_contracts.api.events import EventRecord
from agent_contracts.api.wire import Page
from agent_contracts.log.address import NOWHERE, parse_address
from gateway.http.sessions.event_stream import EventStream
from gateway.http.wire.parameters import (
    LIMIT,
    AddressCursor,
    AddressPath,
    After,
    AgentFilter,
    AgentPath,
    Around,
    SessionFilter,
    SessionPath,
    Using,
    Watched,
)
from gateway.http.wire.resource import resource
from gateway.live.event_filter import EventFilter

router = resource("events")


@router.get("/sessions/{session_id}/events", operation_id="listEvents")
async def list_events(
    operations: Using,
    session_id: SessionPath,
    cursor: AddressCursor,
    limit: Annotated[int, Query(ge=1, le=1000, description=LIMIT)] = 100,
    type: Annotated[
        str | None,
        Query(
            max_length=100,
            description="Only events of this type: its name, or its short one, such as `user_message`.",
        ),
    ] = None,
) -> Page[EventRecord]:
    """A session's events as they stand in the log, oldest first."""
    page = await operations.events.of_session(session_id, cursor or NOWHERE, limit, type)
    return Page[EventRecord](
        items=list(page.events),
        next_cursor=page.events[-1].address if page.more else None,
    )


@router.get("/agents/{agent_id}/events/{address}", operation_id="getEvent")
async def get_event(operations: Using, agent_id: AgentPath, address: AddressPath) -> EventRecord:
    """One event of an agent, or of one of its sessions, as it stands in the log."""
    return await operations.events.of_agent(agent_id, address)


@router.get("/events", operation_id="streamEvents", status_code=200, response_class=EventStream)
async def stream_events(
    around: Around,
    session_id: SessionFilter,
    agent_id: AgentFilter,
    watch: Watched,
    after: After,
    rows: Annotated[
        bool, Query(description="Send with each event the rows of its session that it changed.")
    ] = False,
    last_event_id: Annotated[
        str | None, Header(alias="Last-Event-ID", description="as `after`, which it overrules")
    ] = None,
) -> EventStream:
    """Events as they happen, as server-sent events.

    `event: event` carries an Event, its `id` is the event's address; `event: delta` carries a Delta and has
    no id. Deltas come of the session that the stream is of, and of the sessions to `watch`. A stream that
    begins in the middle of such an answer gets what came of it so far as `event: answer`: `call_id`,
    `attempt`, the `next` delta's index, `text`, `tools`, and whether a part is missing (`gaps`). With
    `after` or `Last-Event-ID` the stream begins there, with no gap and no repeat. A client that reads too
    slowly is disconnected, and can resume.

    With `rows` each event of a session also has `rows`: what people see of the session and has changed, whole
    and as the other endpoints show it, `{"table", "key", "row"}`. `sessions` (key: id; row: SessionNow), and
    of the sessions that the stream is of, or watches, `messages` (key: session, address; row: Message) and
    `tool_calls` (key: session, call; row: ToolCall). Put each in place of the one with its key: it is
    never older than one that came before. Where the gateway can't tell what changed, `rows` is null: read the
    session again.
    """
    start = after if last_event_id is None else parse_address(last_event_id, "a Last-Event-ID")
    wanted = EventFilter(session_id=session_id, agent_id=agent_id, watch=watch, rows=rows)
    timing = around.configured.stream_timing
    listening = await around.operations.events.listen(wanted, start, timing.heartbeat_s)
    return EventStream(listening, around.streams, timing.stalled_s)
