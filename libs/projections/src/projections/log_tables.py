"""The rows of sql/log.sql as data, but for the checkpoint's (see `checkpoint`)."""

from datetime import datetime

from projections.table import JsonText, ProjectedTable, Row


class EventRow(Row, frozen=True):
    """One event of the log, or what stands in its place."""

    place: int
    subject: str
    session_id: str | None
    agent_id: str | None
    type: str
    time: datetime | None
    actor: str | None
    event_id: str | None
    causation: int | None
    prev: int | None
    traceparent: str | None
    body: JsonText
    problem: str | None = None


EVENTS = ProjectedTable("events", EventRow, ("place",), appended=True)
