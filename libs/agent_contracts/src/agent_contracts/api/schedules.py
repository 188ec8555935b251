"""Scheduled tasks and reminders."""

from typing import Literal

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import Current, RequestBody, ResponseBody
from agent_contracts.entities.schedules import Misfire, Overlap, RunOutcome
from agent_contracts.timestamp import Timestamp


class ScheduleRun(ResponseBody, frozen=True, kw_only=True):
    """What became of one due time of a task."""

    due_at: Timestamp
    """The time for which it ran, or when somebody asked for it."""
    outcome: RunOutcome
    """How it ended, or why it didn't run."""
    session_id: str | None
    """Id of the session that it made; null: none."""
    by_hand: bool
    """Whether somebody asked for it then."""
    reason: str | None
    """Why it failed, was skipped or missed, in words; null: it wasn't."""
    failures: int
    """Number of runs that failed in a row, this one included."""
    sequence: int
    """Number of the event that says so."""
    recorded_at: Timestamp
    """When the outcome was recorded."""


class NextTimes(ResponseBody, frozen=True, kw_only=True):
    """When a task would run next."""

    next: list[str]
    """The next times, in UTC."""
    cron_words: str | None
    """The meaning of `cron` in words; null: no `cron` was given."""
    timezone: str
    """The IANA time zone that the times were found in."""


class Reminder(VersionRecord, frozen=True, kw_only=True):
    """A message that a session set for itself."""

    id: str
    """Id of the reminder."""
    reminds: str
    """Id of the session that set it and is reminded."""
    due_at: Timestamp
    """When the session is reminded."""
    message: str
    """The message that the agent reads then."""
    done: Literal["told", "missed"] | None
    """Null: it waits. `told`: the session got it. `missed`: the session could not get it for a day."""


class Schedule(VersionRecord, frozen=True, kw_only=True):
    """A task that runs in a new session at each of its times."""

    id: str
    """Id of the task."""
    name: str
    """What people call the task."""
    task: str
    """The message that each run begins with."""
    at: str | None
    """When it runs once, in UTC; null: it runs by `cron`."""
    cron: str | None
    """When it runs: five fields, or an alias such as `@daily`, in `timezone`. Null: it runs once."""
    cron_words: str | None
    """The meaning of `cron` in words; null: it runs once."""
    timezone: str
    """The IANA time zone of `cron`, such as `Europe/Oslo`."""
    model: str | None
    """Model of the runs, as `provider/model`; null: the agent's."""
    token_limit: int | None
    """Token limit of each run's session; null: that of any new session."""
    misfire: Misfire
    """What happens to times that were missed: the last of them runs, however late (`run_once`), or none
    (`skip`)."""
    overlap: Overlap
    """What happens when a run is due and the one before it isn't over: it is left out (`skip`), waits
    (`queue`), or runs beside it (`parallel`)."""
    enabled: bool
    """False: it is paused."""
    paused_because: str | None
    """Why Foldline paused it, in words; null: it isn't paused, or a person paused it."""
    next: list[str]
    """The next times, in UTC; empty while it is paused."""
    last_run: ScheduleRun | None
    """The newest run; null: it has not run yet."""


class NewSchedule(RequestBody, frozen=True, kw_only=True):
    """A task, with exactly one of a time and `cron`."""

    name: str
    """What people call the task."""
    task: str
    """The message that each run begins with."""
    at: str | None = None
    """When it runs once: ISO 8601, such as `2026-12-24T18:00`. Without an offset, in `timezone`."""
    cron: str | None = None
    """When it runs: five fields, or an alias such as `@daily`, in `timezone`."""
    timezone: str | None = None
    """An IANA time zone, such as `Europe/Oslo`. Left out: the agent's."""
    model: str | None = None
    """Model of the runs, as `provider/model`. Left out: the agent's."""
    token_limit: int | None = None
    """Token limit of each run's session. Left out: that of any new session."""
    misfire: Misfire = "run_once"
    """What happens to times that were missed: the last of them runs, however late (`run_once`), or none
    (`skip`)."""
    overlap: Overlap = "skip"
    """What happens when a run is due and the one before it isn't over: it is left out (`skip`), waits
    (`queue`), or runs beside it (`parallel`)."""


class WriteSchedule(NewSchedule, frozen=True, kw_only=True):
    """The whole task from now on. A paused one stays paused."""

    version: Current = None


class WhenRequest(RequestBody, frozen=True, kw_only=True):
    """When a task would run: exactly one of a time and `cron`."""

    at: str | None = None
    """When it runs once: ISO 8601, such as `2026-12-24T18:00`. Without an offset, in `timezone`."""
    cron: str | None = None
    """Five fields, or an alias such as `@daily`, in `timezone`."""
    timezone: str | None = None
    """An IANA time zone, such as `Europe/Oslo`. Left out: the agent's."""
