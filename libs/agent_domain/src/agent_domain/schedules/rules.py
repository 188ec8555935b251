"""What may become a reminder or a schedule, and when it is due. Pure; what is refused is `Rejected`."""

import hashlib
from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

import msgspec

from agent_contracts.entities.schedules import (
    MOST_REMINDERS,
    MOST_SCHEDULES,
    Misfire,
    Overlap,
    StoredReminder,
    StoredSchedule,
)
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import SessionId
from agent_contracts.model_chain import chain_flaw
from agent_domain.schedules.cron import again_in, checked_cron, cron_times
from agent_domain.schedules.times import parse_time
from agent_domain.schedules.zones import checked_zone
from agent_platform.process.clock import rfc3339

LONGEST_MESSAGE = 10_000
"""Characters of a reminder's message."""
LONGEST_TASK = 50_000
"""Characters of a scheduled task."""
LONGEST_NAME = 200
"""Characters."""
_WINDOWS = (timedelta(hours=1), timedelta(days=1), timedelta(days=32), timedelta(days=400))
"""How far back the latest time is looked for, so that few times are gone through."""


class ScheduleDraft(msgspec.Struct, frozen=True):
    """A scheduled task as it is asked for: `at` or `cron`, in `timezone` (None: the agent's)."""

    name: str
    task: str
    at: str | None = None
    cron: str | None = None
    timezone: str | None = None
    model: str | None = None
    token_limit: int | None = None
    misfire: Misfire = "run_once"
    overlap: Overlap = "skip"
    enabled: bool = True


def reminder_id_of(write_id: str) -> str:
    """The id of the reminder that a write makes: the same on each attempt at it."""
    return "r_" + hashlib.sha256(write_id.encode()).hexdigest()[:20]


def schedule_id_of(write_id: str) -> str:
    """The id of the schedule that a write makes: the same on each attempt at it."""
    return "t_" + hashlib.sha256(write_id.encode()).hexdigest()[:20]


def new_reminder(
    session_id: SessionId, at: str, message: str, zone: ZoneInfo, now: datetime
) -> StoredReminder:
    """A reminder of a session; a time without an offset is in `zone`. `Rejected` for a time that isn't to
    come, and for a message that is blank or too long."""
    moment = _to_come(parse_time(at, zone), now)
    _check_text(message, "message", LONGEST_MESSAGE)
    return StoredReminder(session_id, rfc3339(moment), message)


def check_reminder_count(others: Sequence[StoredReminder]) -> None:
    """`Rejected(kind="too_large")` if an agent with these reminders may have no other one."""
    if sum(one.done is None for one in others) >= MOST_REMINDERS:
        raise Rejected(
            f"The agent has {MOST_REMINDERS:,} reminders that haven't come due: cancel some of them",
            kind=ErrorKind.TOO_LARGE,
        )


def new_schedule(draft: ScheduleDraft, zone: ZoneInfo, now: datetime) -> StoredSchedule:
    """What a draft asks for, checked; `zone` is the agent's. `Rejected(kind="invalid_arguments")` with the
    argument at fault as its `path`, `rejected` for a time that isn't to come.

    An agent's schedule is changed by making a draft of what it is to be: `draft_of`, then this.
    """
    if (draft.at is None) == (draft.cron is None):
        path = "/at" if draft.at is None else "/cron"
        raise Rejected("Give at or cron, one of them", kind=ErrorKind.INVALID_ARGUMENTS, path=path)
    _check_text(draft.name, "name", LONGEST_NAME)
    _check_text(draft.task, "task", LONGEST_TASK)
    if draft.model is not None:
        flaw = chain_flaw(draft.model)
        if flaw is not None:
            raise Rejected(
                f"The model can't be this: {flaw}", kind=ErrorKind.INVALID_ARGUMENTS, path="/model"
            )
    if draft.token_limit is not None and draft.token_limit < 1:
        raise Rejected("token_limit must be 1 or more", kind=ErrorKind.INVALID_ARGUMENTS, path="/token_limit")
    in_zone = zone if draft.timezone is None else checked_zone(draft.timezone)
    at = None if draft.at is None else rfc3339(_to_come(parse_time(draft.at, in_zone), now))
    return StoredSchedule(
        name=draft.name,
        task=draft.task,
        at=at,
        cron=None if draft.cron is None else checked_cron(draft.cron),
        timezone=in_zone.key,
        model=draft.model,
        token_limit=draft.token_limit,
        misfire=draft.misfire,
        overlap=draft.overlap,
        enabled=draft.enabled,
    )


def draft_of(schedule: StoredSchedule) -> ScheduleDraft:
    """The draft that asks for a schedule as it is."""
    return ScheduleDraft(
        **{name: getattr(schedule, name) for name in ScheduleDraft.__struct_fields__},
    )


def enabled(schedule: StoredSchedule, now: datetime) -> StoredSchedule:
    """The schedule, going on: what was due while it was paused isn't caught up with. `Rejected` for one
    whose only time is over."""
    if schedule.at is not None:
        _to_come(datetime.fromisoformat(schedule.at), now)
    return msgspec.structs.replace(schedule, enabled=True, paused_because=None)


def paused(schedule: StoredSchedule, because: str | None = None) -> StoredSchedule:
    """The schedule, paused; `because` of what, if not because a person or the agent wants it."""
    return msgspec.structs.replace(schedule, enabled=False, paused_because=because)


def check_schedule_count(others: Sequence[StoredSchedule], now: datetime) -> None:
    """`Rejected(kind="too_large")` if an agent with these schedules may have no other one."""
    if sum(is_to_come(one, now) for one in others) >= MOST_SCHEDULES:
        raise Rejected(
            f"The agent has {MOST_SCHEDULES} scheduled tasks: cancel some of them", kind=ErrorKind.TOO_LARGE
        )


def is_to_come(schedule: StoredSchedule, now: datetime) -> bool:
    """Whether the schedule has times after `now`, were it enabled."""
    return schedule.at is None or datetime.fromisoformat(schedule.at) > now


def next_times(
    schedule: StoredSchedule, after: datetime, count: int = 1, last: datetime | None = None
) -> list[datetime]:
    """The next times of a schedule after `after`, in UTC, at most `count`, whether it is enabled or not.
    `last` is when it came last, from which an interval counts."""
    if schedule.cron is None:
        at = _at(schedule)
        return [at] if at > after and count > 0 else []
    zone = checked_zone(schedule.timezone)
    start = after if last is None else _near(schedule.cron, last, after)
    times = cron_times(schedule.cron, zone, start)
    return list(islice((moment for moment in times if moment > after), count))


def latest_time(schedule: StoredSchedule, after: datetime, up_to: datetime) -> datetime | None:
    """The last time of a schedule after `after` and not after `up_to`, in UTC; None if there is none."""
    if schedule.cron is None:
        at = _at(schedule)
        return at if after < at <= up_to else None
    zone = checked_zone(schedule.timezone)
    starts = [max(after, up_to - window) for window in _WINDOWS]
    if _seconds(schedule.cron) is not None:  # its times count from `after`
        starts = [_near(schedule.cron, after, up_to)]
    for start in (*dict.fromkeys(starts), after):
        times = cron_times(schedule.cron, zone, start)
        newest = deque(takewhile(lambda moment: moment <= up_to, times), maxlen=1)
        if newest:
            return newest[0]
    return None


def _seconds(cron: str) -> int | None:
    again = again_in(cron, "UTC")
    return again.seconds if again is not None and again.every == "interval" else None


def _near(cron: str, last: datetime, now: datetime) -> datetime:
    """From where to count on to `now`: of an interval the time, a whole number of them after `last`, that is
    two days before; so that few are gone through."""
    seconds = _seconds(cron)
    if seconds is None:
        return max(last, now)
    passed = (now - last - timedelta(days=2)).total_seconds()
    return last + timedelta(seconds=max(0, passed // seconds) * seconds)


def _at(schedule: StoredSchedule) -> datetime:
    if schedule.at is None:
        raise Rejected("The schedule has neither at nor cron")
    return datetime.fromisoformat(schedule.at).astimezone(UTC)


def _to_come(moment: datetime, now: datetime) -> datetime:
    if moment <= now:
        raise Rejected(
            f"{rfc3339(moment)} is in the past: it is {rfc3339(now)} now", kind=ErrorKind.REJECTED, path="/at"
        )
    return moment


def _check_text(text: str, name: str, longest: int) -> None:
    if not text.strip():
        raise Rejected(f"{name} must not be blank", kind=ErrorKind.INVALID_ARGUMENTS, path=f"/{name}")
    if len(text) > longest:
        raise Rejected(
            f"{name} has {len(text):,} characters, at most {longest:,} are kept",
            kind=ErrorKind.TOO_LARGE,
            path=f"/{name}",
        )
