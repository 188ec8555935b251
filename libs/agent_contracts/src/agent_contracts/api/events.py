"""Events of the log."""

from typing import Any

from agent_contracts.api.wire import ResponseBody


class EventRecord(ResponseBody, frozen=True, kw_only=True):
    """An event of the log."""

    address: str
    """Names the event: `N`, or `N.i` where record N holds several."""
    sequence: int
    """Number of the record in the log that holds it."""
    session_id: str | None
    """Id of the session that it belongs to; null: an event of an agent."""
    agent_id: str | None
    """Id of the agent that it belongs to; null: unknown, because the message isn't an event."""
    type: str
    """Its type, such as `foldline.session.user_message.v1`."""
    time: str
    """When it was written."""
    actor: str
    """Who wrote it, such as `user` or `engine`."""
    causation: int | None
    """Number of the event that led to it; null: none did."""
    event_id: str
    """Id of the event, unique in the log."""
    body: dict[str, Any]
    """The event's own data. `docs/asyncapi.yaml` describes that of each type."""
    problem: str | None
    """Why the message isn't an event: it can't be read, doesn't fit its place, or its writer may not write
    there. Everybody skips it. Null: it is an event."""
