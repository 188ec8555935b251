"""Scheduled tasks and reminders."""

from typing import Literal

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import Current, RequestBody, ResponseBody
from agent_contracts.entities.schedules import Misfire, Overlap, RunOutcome
from agent_contracts.timestamp import Timestamp


class ScheduleRun(ResponseBody, frozen=True, kw_only=True):
    """What became of one due time, as event `sequence` says; `session_id` is the session that it made.

    `reason` says in words why it failed, was skipped or missed. `failures`: how many failed in a row, this
    one included. `by_hand`: somebody asked for it then.
    """

    due_at: Timestamp
    outcome: RunOutcome
    session_id: str | None
    by_hand: bool
    reason: str | None
    failures: int
    sequence: int
    recorded_at: Timestamp


class NextTimes(ResponseBody, frozen=True, kw_only=True):
    """The next times in UTC of a task that isn't stored, the zone that they were found in, and in words what
    its `cron` means."""

    next: list[str]
    cron_words: str | None
    timezone: str


class Reminder(VersionRecord, frozen=True, kw_only=True):
    """A message to the session that set it, `due_at` a time in UTC. `reminds` is that session's id.

    `done`: null while it waits; then what became of it: it was told, or missed since nobody was there for a
    day.
    """

    id: str
    reminds: str
    due_at: Timestamp
    message: str
    done: Literal["told", "missed"] | None


class Schedule(VersionRecord, frozen=True, kw_only=True):
    """A task that runs in a fresh session at each of its times: `at`, once, or `cron` in `timezone`;
    `cron_words` says in words what `cron` means.

    `next` are its next times in UTC, none while it isn't enabled; `last_run` is null until it has run.
    `paused_because`: why Foldline paused it, where nobody did by hand.
    """

    id: str
    name: str
    task: str
    at: str | None
    cron: str | None
    cron_words: str | None
    timezone: str
    model: str | None
    token_limit: int | None
    misfire: Misfire
    overlap: Overlap
    enabled: bool
    paused_because: str | None
    next: list[str]
    last_run: ScheduleRun | None


class NewSchedule(RequestBody, frozen=True, kw_only=True):
    """A task and exactly one of `at` (ISO 8601; without an offset, in `timezone`) and `cron` (five fields, or
    an alias such as `@daily`).

    Without a `timezone` it is the agent's; without a `model` or `token_limit`, those of any new session.
    """

    name: str
    task: str
    at: str | None = None
    cron: str | None = None
    timezone: str | None = None
    model: str | None = None
    token_limit: int | None = None
    misfire: Misfire = "run_once"
    overlap: Overlap = "skip"


class WriteSchedule(NewSchedule, frozen=True, kw_only=True):
    """The whole task from now on; a paused one stays so."""

    version: Current = None


class WhenRequest(RequestBody, frozen=True, kw_only=True):
    """When a task would run: as in a task. Without a `timezone` it is the agent's."""

    at: str | None = None
    cron: str | None = None
    timezone: str | None = None
