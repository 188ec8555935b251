"""Reminders and scheduled tasks: entities whose time the scheduler waits for."""

from typing import Literal

import msgspec

from agent_contracts.ids import SessionId

MOST_REMINDERS = 1_000
"""Reminders of one agent that haven't come due."""
MOST_SCHEDULES = 200
"""Scheduled tasks of one agent that have a time to come, paused ones included."""
Misfire = Literal["run_once", "skip"]
"""What becomes of times that were missed: the last of them runs, however late, or none does."""
Overlap = Literal["skip", "queue", "parallel"]
"""What becomes of a firing while the run before it isn't over."""


class Recurrence(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a reminder comes again, by the clocks of `timezone` (an IANA name): each day, on a `day` of the
    week (0: Monday) or of the month (its last, where it has no such day), at `clock` (HH:MM); or so many
    `seconds` after it came, within a `window` of the day (two times, HH:MM), if it has one."""

    every: Literal["day", "week", "month", "interval"]
    timezone: str = "UTC"
    clock: str = "00:00"
    day: int = 0
    seconds: int = 0
    window: tuple[str, str] | None = None


class StoredReminder(msgspec.Struct, frozen=True, omit_defaults=True):
    """A message to the session that set it, at a time (RFC 3339 in UTC); its id, `r_…`, is the entity's name.

    Once it has come due it stays, as what became of it: `done`. One that comes `again` is to come next then,
    as long as its session is there; `last_at` is the time for which it came last. A `quiet` one is for
    people: it is shown, and does not begin a turn.
    """

    session_id: SessionId
    at: str
    message: str
    done: Literal["told", "missed"] | None = None
    again: Recurrence | None = None
    quiet: bool = False
    last_at: str | None = None


class StoredSchedule(msgspec.Struct, frozen=True, omit_defaults=True):
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


RunOutcome = Literal["asked", "queued", "started", "succeeded", "failed", "stopped", "skipped", "missed"]
"""What became of a due time: a person `asked` for a run by hand, or it is `queued` behind the run before it;
it was `started`, and its session `succeeded`, `failed` or was `stopped` by a person; it was `skipped`, since
the run before it wasn't over; it was `missed`, since it was noticed late and the task skips what is late."""
OVER = frozenset({"succeeded", "failed", "stopped", "skipped", "missed"})
"""The outcomes after which no other follows for the same due time."""


class WaitingRun(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run that is to start: at its turn, or by hand, at once."""

    due_at: str
    by_hand: bool = False


class StartedRun(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run whose session isn't over. `late` says in words when it was due, if it began late."""

    due_at: str
    session_id: SessionId
    by_hand: bool = False
    late: str | None = None


class StoredScheduleRun(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of one due time of a schedule; entity `run`, by the schedule's id.

    Each version tells of one due time (`due_at`, RFC 3339 in UTC; when it was asked for, of a run by hand):
    of two that tell of the same, the later counts. `session_id` is the session that it made, `reason` says
    in words why it failed, was skipped, missed, or late.

    Every version also says where the schedule stands after it: `failures` is how many runs have failed in a
    row, `decided` the last due time about which the scheduler has decided, `running` and `waiting` the runs
    that aren't over.
    """

    due_at: str
    outcome: RunOutcome
    session_id: SessionId | None = None
    by_hand: bool = False
    reason: str | None = None
    failures: int = 0
    decided: str | None = None
    running: tuple[StartedRun, ...] = ()
    waiting: tuple[WaitingRun, ...] = ()
