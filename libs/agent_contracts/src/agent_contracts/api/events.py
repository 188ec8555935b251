"""Events of the log."""

from typing import Any

from agent_contracts.api.wire import ResponseBody


class EventRecord(ResponseBody, frozen=True, kw_only=True):
    """An event of the log. `address` names it: N, or N.i where record N (`sequence`) holds several.

    `body` is the event's own data; docs/asyncapi.yaml describes each type's.

    `problem`: why a message isn't an event: it can't be read, doesn't fit its place, or its writer may not
    write there. Everybody skips it.
    """

    address: str
    sequence: int
    session_id: str | None
    agent_id: str | None
    type: str
    time: str
    actor: str
    causation: int | None
    event_id: str
    body: dict[str, Any]
    problem: str | None
