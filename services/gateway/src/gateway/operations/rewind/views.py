"""What the API answers about going back."""

from typing import Any, Literal

from gateway.queries.views import Session, View


class Forked(Session):
    """A fork, as it began. `at` is the event its history really goes up to: never between a call and its
    results, so at or before the one that was asked for."""

    forked_from: str
    at: int


class Value(View):
    """What one thing of the agent's was at one version; `sequence` is the event that made it."""

    value: Any
    version: int
    sequence: int
    time: str


class AgentChange(View):
    """One thing of the agent's that this session changed: `before`, and `now`; null: it isn't there.

    `touched_by_others`: another session or a person changed it too since then.
    """

    kind: str
    name: str
    before: Value | None
    now: Value | None
    touched_by_others: bool


class ChangedMessage(View):
    """A message that goes, or comes back; `text` is its beginning."""

    sequence: int
    role: Literal["user", "assistant"]
    text: str


class DatabaseWrite(View):
    """One write to the agent's database; `sql` is its beginning. One without is an earlier restore."""

    sequence: int
    session_id: str | None
    sql: str | None


class DatabaseChange(View):
    """What a rollback of the database would undo: so many writes, of them `by_others` not this session's.

    `latest` are the last of them, oldest first.
    """

    writes: int
    by_others: int
    latest: list[DatabaseWrite]


class RollbackPreview(View):
    """What a rollback to `to` would do. `at` is where it really leads: never between a call and its results.

    `hidden` are the messages that would go, `shown_again` those that an earlier rollback had hidden;
    `agent` what this session changed of the agent's; `database` null where it holds what it held.
    `log_sequence`: what came up to there is looked at.
    """

    to: int
    at: int
    hidden: list[ChangedMessage]
    shown_again: list[ChangedMessage]
    agent: list[AgentChange]
    database: DatabaseChange | None
    log_sequence: int


class Restored(View):
    """One thing of the agent's, its database included. `sequence`: the event that gave it its earlier value
    back, or deleted it."""

    kind: str
    name: str
    sequence: int


class LeftOut(View):
    """One thing of the agent's that stays as it is, since others changed it too."""

    kind: str
    name: str


class Imported(View):
    """An imported session. `sessions` are all that the file holds: before it those whose history it begins
    with, as far as it refers to them."""

    id: str
    agent_id: str
    sessions: list[str]
    events: int
    blobs: int


class RolledBack(View):
    """What a rollback did. `sequence` is the event that says so in the session's log."""

    at: int
    sequence: int
    restored: list[Restored]
    left_out: list[LeftOut]
