"""Scheduled tasks, their runs and the agent's timezone, as people look at them."""

from agent_contracts.entities.schedules import Misfire, Overlap, RunOutcome
from gateway.operations.agents.written import Written
from gateway.queries.view import View


class ScheduleRun(View):
    """What became of one due time, as event `sequence` says; `session_id` is the session that it made.

    `reason` says in words why it failed, was skipped or missed. `failures`: how many failed in a row, this
    one included. `by_hand`: somebody asked for it then.
    """

    due_at: str
    outcome: RunOutcome
    session_id: str | None
    by_hand: bool
    reason: str | None
    failures: int
    sequence: int
    time: str


class Schedule(Written):
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


class NextTimes(View):
    """The next times in UTC of a task that isn't stored, the zone that they were found in, and in words what
    its `cron` means."""

    next: list[str]
    cron_words: str | None
    timezone: str


class Schedules(View):
    """By name."""

    schedules: list[Schedule]


class ScheduleRuns(View):
    """A page, newest first. `before`: pass it back for older ones; null: there are none."""

    runs: list[ScheduleRun]
    before: int | None
