"""What a schedule calls for next, and what becomes of a reminder. Pure: the time comes in as data."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Literal

import msgspec

from agent_contracts.entities.schedules import (
    RunOutcome,
    StartedRun,
    StoredReminder,
    StoredSchedule,
    StoredScheduleRun,
    WaitingRun,
)
from agent_contracts.ids import SessionId, new_id
from agent_domain.schedules.lateness import ON_TIME, is_ahead, lateness
from agent_domain.schedules.recurring import next_again
from agent_domain.schedules.rules import latest_time, next_times
from agent_domain.schedules.runs import MOST_WAITING
from agent_domain.schedules.zones import checked_zone
from agent_platform.process.clock import rfc3339
from session_domain.domain.state import SessionState, Status

SESSION_PREFIX = "st"
"""What ids of the sessions that schedules began start with: who begins them is seen without reading."""
MOST_RUNNING = 10
"""Runs of one schedule at a time."""
FAILURES_TO_PAUSE = 5
"""So many runs that fail in a row pause a schedule; each time it goes on, it has so many again."""
LATE_WRITE = ON_TIME
"""So long it may take from checking a time until it stands in the log."""
_LONGEST_REASON = 1_000


class RunEnd(msgspec.Struct, frozen=True):
    """How a run's session ended, and in words why, if not well."""

    outcome: Literal["succeeded", "failed", "stopped"]
    reason: str | None = None


class ScheduleStanding(msgspec.Struct, frozen=True):
    """Where a schedule stands: itself, since when it has had the times that it has, the last that became of
    it (None: nothing yet), and which of its running sessions have ended."""

    schedule: StoredSchedule
    since: datetime
    last: StoredScheduleRun | None = None
    ended: Mapping[SessionId, RunEnd] = {}


class ScheduleStep(msgspec.Struct, frozen=True):
    """The next version of what became of a schedule. `starts` is a run whose session begins with it,
    `pauses` why the schedule is paused with it."""

    run: StoredScheduleRun
    starts: StartedRun | None = None
    pauses: str | None = None


class ScheduleWait(msgspec.Struct, frozen=True):
    """Nothing is to be done before this time."""

    until: datetime


def next_step(
    schedule_id: str, standing: ScheduleStanding, now: datetime
) -> ScheduleStep | ScheduleWait | None:
    """What is to be done next; None: nothing, as long as nothing changes."""
    last = standing.last or StoredScheduleRun("", "skipped")
    for running in last.running:
        ended = standing.ended.get(running.session_id)
        if ended is not None:
            return _over(standing.schedule, last, running, ended)
    return _waiting(schedule_id, standing.schedule, last) or _due(schedule_id, standing, last, now)


def _over(
    schedule: StoredSchedule, last: StoredScheduleRun, running: StartedRun, ended: RunEnd
) -> ScheduleStep:
    failures = {"succeeded": 0, "stopped": last.failures, "failed": last.failures + 1}[ended.outcome]
    reason = (ended.reason or running.late or "")[:_LONGEST_REASON] or None
    run = _next(
        last,
        running.due_at,
        ended.outcome,
        session_id=running.session_id,
        by_hand=running.by_hand,
        reason=reason,
        failures=failures,
        running=tuple(one for one in last.running if one != running),
    )
    pauses = None
    if ended.outcome == "failed" and failures % FAILURES_TO_PAUSE == 0 and schedule.enabled:
        why = (ended.reason or "no reason is known")[:_LONGEST_REASON]
        pauses = f"{failures} runs failed one after another. The last one: {why}"
    return ScheduleStep(run, pauses=pauses)


def refused(schedule: StoredSchedule, step: ScheduleStep, reason: str) -> ScheduleStep:
    """What a step comes to whose session may not begin, as where its agent has used up its day."""
    assert step.starts is not None
    over = _over(schedule, step.run, step.starts, RunEnd("failed", reason))
    return ScheduleStep(msgspec.structs.replace(over.run, session_id=None), pauses=over.pauses)


def _waiting(schedule_id: str, schedule: StoredSchedule, last: StoredScheduleRun) -> ScheduleStep | None:
    for waiting in last.waiting:
        rest = tuple(one for one in last.waiting if one is not waiting)
        if not waiting.by_hand and not schedule.enabled:
            run = _next(last, waiting.due_at, "skipped", reason="the task was paused", waiting=rest)
            return ScheduleStep(run)
        if len(last.running) < (MOST_RUNNING if waiting.by_hand else 1):
            return _start(schedule_id, msgspec.structs.replace(last, waiting=rest), waiting)
    return None


def _due(
    schedule_id: str, standing: ScheduleStanding, last: StoredScheduleRun, now: datetime
) -> ScheduleStep | ScheduleWait | None:
    schedule = standing.schedule
    if not schedule.enabled:
        return None
    after = standing.since if schedule.at is None else standing.since - LATE_WRITE
    decided = None if last.decided is None else datetime.fromisoformat(last.decided)
    if decided is not None and not is_ahead(decided, now):
        after = max(after, decided)  # what a clock that was ahead began isn't begun again: its session exists
    due = latest_time(schedule, after, now)
    if due is None:
        coming = next_times(schedule, max(after, now), last=after)
        return ScheduleWait(coming[0]) if coming else None
    due_at = rfc3339(due)
    last = msgspec.structs.replace(last, decided=due_at)
    late = lateness(due, now, checked_zone(schedule.timezone))
    if late is not None and schedule.misfire == "skip":
        reason = f"{late} Foldline wasn't running, or its clock was wrong; this task skips what is late."
        return ScheduleStep(_next(last, due_at, "missed", reason=reason))
    if last.running and schedule.overlap == "queue" and len(last.waiting) < MOST_WAITING:
        return ScheduleStep(_next(last, due_at, "queued", waiting=(*last.waiting, WaitingRun(due_at))))
    if last.running and (schedule.overlap != "parallel" or len(last.running) >= MOST_RUNNING):
        reason = f"the run of {last.running[0].due_at} wasn't over"
        return ScheduleStep(_next(last, due_at, "skipped", reason=reason))
    return _start(schedule_id, last, WaitingRun(due_at), late)


def _start(
    schedule_id: str, last: StoredScheduleRun, waiting: WaitingRun, late: str | None = None
) -> ScheduleStep:
    started = StartedRun(waiting.due_at, run_session_id(schedule_id, waiting), waiting.by_hand, late)
    run = _next(
        last,
        waiting.due_at,
        "started",
        session_id=started.session_id,
        by_hand=waiting.by_hand,
        reason=late,
        running=(*last.running, started),
    )
    return ScheduleStep(run, starts=started)


def _next(last: StoredScheduleRun, due_at: str, outcome: RunOutcome, **told: object) -> StoredScheduleRun:
    """The version after `last`: what is not told anew stays where the schedule stands."""
    fresh: dict[str, object] = {"session_id": None, "by_hand": False, "reason": None}
    return msgspec.structs.replace(last, due_at=due_at, outcome=outcome, **{**fresh, **told})


def run_session_id(schedule_id: str, run: WaitingRun) -> SessionId:
    """The session of a run: the same however often, and by whomever, it is begun."""
    digest = hashlib.sha256(f"{schedule_id}/{run.due_at}/{run.by_hand}".encode()).digest()
    at_ms = int(datetime.fromisoformat(run.due_at).timestamp() * 1000)
    return SessionId(new_id(SESSION_PREFIX, at_ms, digest))


def is_of_a_run(session_id: SessionId) -> bool:
    """Whether a schedule may have begun the session."""
    return session_id.startswith(f"{SESSION_PREFIX}_")


def ended(session: SessionState) -> RunEnd | None:
    """How a run's session ended; None while it goes on, or will by itself."""
    if session.position == 0:
        return RunEnd("stopped", "its session was erased")
    match session.status:
        case Status.ERROR:
            failure = session.failure
            return RunEnd("failed", failure.message if failure else "its session ended in error")
        case Status.COMPLETED:
            return RunEnd("stopped", "its session was archived")
        case Status.TOKEN_LIMIT_REACHED:
            return RunEnd("failed", f"it used up its {session.token_limit:,} tokens")
        case Status.IDLE if session.failed_turn is not None:
            failed = session.failed_turn
            goes_on = failed.retry_at is not None or session.retrying
            return None if goes_on else RunEnd("failed", failed.message)
        case Status.IDLE if not session.is_addressed:
            return RunEnd("succeeded") if session.answered else RunEnd("stopped", "a person stopped it")
        case _:
            return None


def reminder_step(
    reminder: StoredReminder, written: datetime, *, fresh: bool, now: datetime
) -> Literal["tell", "miss"] | ScheduleWait | None:
    """What becomes of a reminder that was written at a time. One that isn't `fresh` was brought back: it is
    told only if its time was still to come. However late one is, it is told."""
    if reminder.done is not None:
        return None
    due = datetime.fromisoformat(reminder.at)
    if due > now:
        return ScheduleWait(due)
    brought_back_late = written > (due + LATE_WRITE if fresh else due)
    return "miss" if brought_back_late else "tell"


def put_right(
    reminder: StoredReminder, written: datetime, before: datetime | None, now: datetime
) -> StoredReminder | None:
    """A reminder that comes again, at its right time, where a wrong clock had set it when it was `written`;
    None where nothing is to be put right. `before` is when the version before that was written.

    A clock that was ahead had it too late: it comes sooner. A clock that was behind had it at a time that was
    over by then: it comes next.
    """
    due = datetime.fromisoformat(reminder.at)
    too_late = due > now and is_ahead(written, now)
    too_early = before is not None and due < before <= now
    coming = next_reminder(reminder, now) if too_late or too_early else None
    if coming is None or (too_late and coming >= due):
        return None
    return msgspec.structs.replace(reminder, at=rfc3339(coming))


def next_reminder(reminder: StoredReminder, after: datetime) -> datetime | None:
    """When one that comes again comes next: not for the time for which it came last, as it may have by a
    clock that was ahead. None for one that comes once."""
    if reminder.again is None:
        return None
    coming = next_again(reminder.again, after)
    return coming if rfc3339(coming) != reminder.last_at else next_again(reminder.again, coming)


def takes_reminders(session: SessionState) -> bool:
    """Whether a session is there, and not over."""
    return session.position > 0 and not session.status.is_terminal and not session.archiving
