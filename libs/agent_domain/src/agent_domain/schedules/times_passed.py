"""What waited for a time that has passed comes back as over: going back must not make it happen at once."""

from datetime import datetime

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import StoredReminder, StoredSchedule
from agent_contracts.json_value import Json
from agent_domain.schedules.recurring import next_again
from agent_platform.entities.entity import Entity
from agent_platform.process.clock import rfc3339

PAUSED_BY_REWIND = "its time had passed when a rewind brought it back"


def coming_back(before: Entity | None, current: Entity | None, now: datetime) -> Entity | None:
    """What was `before`, as it comes back in place of what exists now.

    A reminder whose time has passed comes back as missed, unless it is there as what became of it: that
    stays; one that comes again comes next. A task that was to run once comes back paused.
    """
    if before is None:
        return None
    value = _over(before, current, now)
    return before if value is None else msgspec.structs.replace(before, value=value)


def is_over_by_now(kind: EntityKind, value: Json, now: datetime) -> bool:
    """Whether a reminder or a task, as it was then, waited for a time that has passed."""
    if kind is EntityKind.REMINDER:
        reminder = msgspec.convert(value, StoredReminder)
        return reminder.done is None and _is_over(reminder.at, now)
    task = msgspec.convert(value, StoredSchedule)
    return task.at is not None and task.enabled and _is_over(task.at, now)


def _over(before: Entity, current: Entity | None, now: datetime) -> Json:
    """The value of something whose time has passed; None where it is anything else."""
    match before.key.kind:
        case EntityKind.REMINDER:
            reminder = msgspec.convert(before.value, StoredReminder)
            if reminder.done is not None or not _is_over(reminder.at, now):
                return None
            if current is not None and msgspec.convert(current.value, StoredReminder).done is not None:
                return current.value
            if reminder.again is not None:
                later = rfc3339(next_again(reminder.again, now))
                coming: Json = msgspec.to_builtins(msgspec.structs.replace(reminder, at=later))
                return coming
            missed: Json = msgspec.to_builtins(msgspec.structs.replace(reminder, done="missed"))
            return missed
        case EntityKind.SCHEDULE:
            task = msgspec.convert(before.value, StoredSchedule)
            if task.at is None or not task.enabled or not _is_over(task.at, now):
                return None
            paused: Json = msgspec.to_builtins(
                msgspec.structs.replace(task, enabled=False, paused_because=PAUSED_BY_REWIND)
            )
            return paused
        case _:
            return None


def _is_over(at: str, now: datetime) -> bool:
    return datetime.fromisoformat(at) <= now
