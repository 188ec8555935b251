"""Events of the log."""

from typing import Any

from msgspec import UNSET, UnsetType

from agent_contracts.api.wire import ResponseBody


class RowChange(ResponseBody, frozen=True):
    """A row of a table, whole and as the API shows it, in place of the one with the same key."""

    table: str
    """The table: `sessions`, `messages` or `tool_calls`."""
    key: tuple[str, ...]
    """What names the row in it, such as the session's id."""
    row: Any
    """The row, as its own endpoint shows it."""


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
    rows: list[RowChange] | UnsetType | None = UNSET
    """Only in a live stream with `rows`: the rows of its session that the event changed. The session's own
    row may come with a later event. Null: the gateway can't tell, so read the session again."""
