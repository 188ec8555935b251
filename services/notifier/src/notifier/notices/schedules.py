"""A schedule out of an entity's event."""

from typing import Any

import msgspec
import structlog

from agent_contracts.entities.entity import EntityKind, EntityWritten
from agent_contracts.entities.schedules import StoredSchedule

log = structlog.get_logger()


def schedule_in(event: Any) -> StoredSchedule | None:
    """The schedule that the event wrote; None for what is not one."""
    if not isinstance(event, EntityWritten) or event.kind is not EntityKind.SCHEDULE:
        return None
    try:
        return msgspec.convert(event.value, StoredSchedule)
    except msgspec.ValidationError as error:
        log.info("schedule.unreadable", name=event.name, reason=str(error))
        return None
