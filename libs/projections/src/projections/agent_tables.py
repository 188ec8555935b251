"""The tables of sql/entities.sql as data; its views are not among them."""

from datetime import datetime

from projections.table import JsonText, ProjectedTable, Row


class VersionedRow(Row, frozen=True):
    """What every row of something that an agent has says: whose it is, and which event made it so."""

    agent_id: str
    version: int
    sequence: int
    actor: str
    session_id: str | None
    call_id: str | None
    modified_on: datetime


class EntityRow(VersionedRow, frozen=True):
    """One thing that an agent has, since the time of its version 1: its value with every member.

    `enabled` is None where its kind can't be disabled.
    """

    kind: str
    name: str
    created_on: datetime
    value: JsonText
    enabled: bool | None


class RunRow(VersionedRow, frozen=True):
    """The last that is told of one due time of a scheduled task; `ran_in` is the session that it made."""

    schedule_id: str
    due_on: datetime
    by_hand: bool
    outcome: str
    ran_in: str | None
    reason: str | None
    failures: int


ENTITIES = ProjectedTable("entities", EntityRow, ("agent_id", "kind", "name"))
SCHEDULE_RUNS = ProjectedTable("schedule_runs", RunRow, ("agent_id", "schedule_id", "due_on", "by_hand"))

AGENT_TABLES = (ENTITIES, SCHEDULE_RUNS)
