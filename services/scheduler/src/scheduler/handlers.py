"""What is delivered to the scheduler: due times, changes of entities, ends of turns."""

from typing import Protocol

import msgspec
import structlog

from agent_contracts.entities.entity import EntityDeleted, EntityEvent, EntityKind
from agent_contracts.entities.schedules import StoredReminder
from agent_contracts.errors import Failure
from agent_contracts.ids import AgentId
from agent_contracts.kinds.registry import ACTING_KINDS
from agent_contracts.log.record.records import SkippedMessage, StoredMessage, read
from agent_contracts.log.record.session_subjects import parse_session_subject
from agent_contracts.log.timers import read_scheduled
from agent_platform.process.stop_points import stop_point
from agent_platform.services.consuming.consumer import Delivery
from scheduler.domain.decide import is_of_a_run
from session_domain.sessions import FoldedSessions

_KINDS = {*(kind.value for kind in ACTING_KINDS), EntityKind.RUN.value}

log = structlog.get_logger()


def _is_over(event: EntityEvent) -> bool:
    """Whether it calls for nothing, whatever comes after it: that is delivered by itself."""
    if event.kind is not EntityKind.REMINDER:
        return False
    return isinstance(event, EntityDeleted) or msgspec.convert(event.value, StoredReminder).done is not None


class Advances(Protocol):
    """Does what one reminder or schedule calls for now."""

    async def advance(self, agent_id: AgentId, name: str, came_due: str | None = None) -> None:
        """Once more is harmless."""
        ...


class Handlers:
    """Everything that is delivered leads to one thing: a reminder or a schedule is looked at anew."""

    def __init__(self, reminders: Advances, schedules: Advances, sessions: FoldedSessions) -> None:
        self._reminders = reminders
        self._schedules = schedules
        self._sessions = sessions

    async def due(self, delivery: Delivery) -> None:
        """A timer came due. `Permanent` for what is not a timer."""
        timer = read_scheduled(delivery.message.data)
        await stop_point("scheduler.due")
        which = self._reminders if timer.kind == "reminder" else self._schedules
        await which.advance(timer.agent_id, timer.name, timer.due_at)

    def preview_change(self, delivery: Delivery, number: int) -> bool:
        """Whether a changed entity is one of ours."""
        return delivery.message.subject.split(".")[2] in _KINDS

    async def changed(self, delivery: Delivery) -> None:
        """A reminder, a schedule or what became of one changed."""
        found = read(delivery.message)
        if isinstance(found, SkippedMessage):
            log.warning("message.skipped", subject=found.subject, kind=found.kind, problem=found.problem)
            return
        if _is_over(found.event):
            return
        agent_id = AgentId(delivery.message.subject.split(".")[1])
        which = self._reminders if found.event.kind is EntityKind.REMINDER else self._schedules
        await which.advance(agent_id, found.event.name)

    def preview_ending(self, delivery: Delivery, number: int) -> bool:
        """Whether a decision is of a session that a schedule began."""
        try:
            return is_of_a_run(parse_session_subject(delivery.message.subject).key.session_id)
        except Failure:
            return False

    async def ended(self, delivery: Delivery) -> None:
        """A turn, or a session, may be over that a schedule began."""
        key = parse_session_subject(delivery.message.subject).key
        begun_by = (await self._sessions.newest(key)).begun_by
        if begun_by is not None and begun_by.what == "schedule":
            await self._schedules.advance(key.agent_id, begun_by.name)

    async def given_up(self, message: StoredMessage, reason: str) -> None:
        """What couldn't be handled is set aside as a dead letter; the next look at everything repeats it."""
        log.error("scheduler.given_up", sequence=message.sequence, subject=message.subject, reason=reason)
