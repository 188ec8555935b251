"""The rows of what waits: reminders, scheduled tasks and their runs, wakes in the inbox."""

from datetime import UTC, datetime

from msgspec import to_builtins
from msgspec.structs import asdict

from agent_contracts.entities.entity import EntityDeleted, EntityEvent
from agent_contracts.entities.schedules import Reminder, Schedule, ScheduleRun
from agent_contracts.json_value import Json
from agent_contracts.wakes import InboxItem
from projections.agent_tables import SCHEDULE_RUNS, InboxRow, Named, ReminderRow, RunRow, ScheduleRow
from projections.json_text import json_text
from projections.project.batch_rows import Change, Put
from projections.project.entity_at import EntityAt, fitting, made, misfit


def reminder_row(named: Named, value: Json) -> ReminderRow:
    """A reminder."""
    reminder = fitting(value, Reminder)
    return ReminderRow(
        **asdict(named),
        reminds=reminder.session_id,
        due_on=_moment(reminder.at),
        message=reminder.message,
        done=reminder.done,
        again=None if reminder.again is None else json_text(to_builtins(reminder.again)),
        quiet=reminder.quiet,
    )


def schedule_row(named: Named, value: Json) -> ScheduleRow:
    """A scheduled task."""
    schedule = fitting(value, Schedule)
    return ScheduleRow(
        **asdict(named),
        title=schedule.name,
        task=schedule.task,
        due_on=None if schedule.at is None else _moment(schedule.at),
        cron=schedule.cron,
        timezone=schedule.timezone,
        model=schedule.model,
        token_limit=schedule.token_limit,
        misfire=schedule.misfire,
        overlap=schedule.overlap,
        enabled=schedule.enabled,
        paused_because=schedule.paused_because,
    )


def run_changes(at: EntityAt, event: EntityEvent) -> list[Change]:
    """What is told of one due time, in place of what was told of it before; nothing takes it away."""
    if isinstance(event, EntityDeleted):
        return []
    run = fitting(event.value, ScheduleRun)
    row = RunRow(
        **asdict(made(at, event)),
        schedule_id=event.name,
        due_on=_moment(run.due_at),
        by_hand=run.by_hand,
        outcome=run.outcome,
        ran_in=run.session_id,
        reason=run.reason,
        failures=run.failures,
    )
    return [Put(SCHEDULE_RUNS, row)]


def inbox_row(named: Named, value: Json) -> InboxRow:
    """A wake that waits in the inbox."""
    item = fitting(value, InboxItem)
    return InboxRow(
        **asdict(named),
        source=item.source,
        wake_id=item.wake_id,
        wake_type=item.wake_type,
        message=item.message,
        data=json_text(item.data),
        meant_for=item.session_id,
        priority=item.priority,
        arrived_on=_moment(item.at),
        kept_until=_moment(item.until),
    )


def _moment(text: str) -> datetime:
    """RFC 3339 in UTC as a time."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise misfit(f"{text[:40]!r} is not a time") from error
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
