"""Reminders and scheduled tasks: entities whose time the scheduler waits for."""

from typing import Literal

import msgspec

from agent_contracts.ids import SessionId

GRACE_S = 24 * 3600
"""So late a firing that was missed still happens; afterwards it doesn't."""

Misfire = Literal["run_once", "skip"]
"""What becomes of firings that were missed while nobody was there: one is caught up with, or none."""
Overlap = Literal["skip", "queue", "parallel"]
"""What becomes of a firing while the run before it isn't over."""


class Reminder(msgspec.Struct, frozen=True, omit_defaults=True):
    """A message to the session that set it, at a time (RFC 3339 in UTC); its id, `r_…`, is the entity's name.

    Once it has come due it stays, as what became of it: `done`.
    """

    session_id: SessionId
    at: str
    message: str
    done: Literal["told", "missed"] | None = None


class Schedule(msgspec.Struct, frozen=True, omit_defaults=True):
    """A task that runs in a fresh session at each of its times; its id, `t_…`, is the entity's name.

    Exactly one of `at` (RFC 3339 in UTC) and `cron` (five fields, or an alias such as `@daily`) says when;
    `timezone` is the IANA name of the zone that `cron` is in. `model` and `token_limit` are those of the
    sessions, where not the agent's own. `paused_because` says why one that isn't `enabled` isn't, if it
    wasn't a person or the agent who paused it.
    """

    name: str
    task: str
    at: str | None = None
    cron: str | None = None
    timezone: str = "UTC"
    model: str | None = None
    token_limit: int | None = None
    misfire: Misfire = "run_once"
    overlap: Overlap = "skip"
    enabled: bool = True
    paused_because: str | None = None


class ScheduleRun(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of one due time of a schedule; entity `run`, by the schedule's id: each version is one.

    `due_at` is RFC 3339 in UTC. `session_id` is the session that it made, `outcome` how that ended: until
    then `started`. `failures` is how many runs have failed in a row, this one included.
    """

    due_at: str
    outcome: Literal["started", "succeeded", "failed", "skipped", "missed"]
    session_id: SessionId | None = None
    failures: int = 0
    by_hand: bool = False
