"""What the agent's sessions will be reminded of, as one tool call sees and changes it."""

from collections.abc import Callable, Sequence
from datetime import datetime

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import Recurrence, StoredReminder
from agent_contracts.errors import Conflict, Transient
from agent_domain.schedules.planning import Planner, present, reminder_of
from agent_domain.schedules.rules import reminder_id_of
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Change, Delete, Entity, EntityKey
from agent_tools.context import CallContext
from agent_tools.ports.reminders import NumberedReminder


class AgentReminders:
    """The reminders of the session that calls. `Rejected(kind="not_available")` where a page calls."""

    def __init__(self, entities: Entities, planner: Planner, call: CallContext) -> None:
        self._entities = entities
        self._planner = planner
        self._call = call

    async def now(self) -> datetime:
        """The time of the call, in the agent's zone."""
        zone = await self._planner.zone(self._call.agent_id)
        return (self._call.requested_at or self._planner.now).astimezone(zone)

    async def set(self, at: str | Recurrence, message: str, *, quiet: bool = False) -> NumberedReminder:
        """Set one, at a time or again and again; see `new_reminder` for what is refused."""
        session_id, writer = self._call.session_id, self._call.writers.next()
        key = self._key(reminder_id_of(writer.id))
        decide = self._planner.reminder(self._call.agent_id, session_id, at, message, quiet=quiet)
        try:
            changed = await self._entities.change_together(key, writer, decide)
        except Conflict as error:
            raise Transient(error.message, retry_after=0.1) from error
        return NumberedReminder(key.name, reminder_of(present(changed.after, key)))

    async def cancel(self, name: str) -> bool:
        """Cancel one that waits; whether there was one. Another session's isn't this one's to cancel."""
        session_id, writer = self._call.session_id, self._call.writers.next()

        def decide(before: Entity | None) -> Change:
            if before is None:
                return None
            found = reminder_of(before)
            return Delete() if found.session_id == session_id and found.done is None else None

        try:
            changed = await self._entities.change(self._key(name), writer, decide)
        except Conflict as error:
            raise Transient(error.message, retry_after=0.1) from error
        return changed.before is not None and changed.after is None

    async def list(self) -> Sequence[NumberedReminder]:
        """Those that wait, by time."""
        return await self._those(lambda one: one.done is None)

    async def over(self) -> Sequence[NumberedReminder]:
        """Those that came once, or were missed, the newest first."""
        return (await self._those(lambda one: one.done is not None))[::-1]

    async def _those(self, wanted: Callable[[StoredReminder], bool]) -> Sequence[NumberedReminder]:
        session_id = self._call.session_id
        found = []
        for entity in await self._entities.list(self._call.agent_id, EntityKind.REMINDER):
            reminder = reminder_of(entity)
            if reminder.session_id == session_id and wanted(reminder):
                self._call.outside.bring(*entity.outside)
                found.append(NumberedReminder(entity.key.name, reminder))
        return sorted(found, key=lambda one: (one.reminder.at, one.id))

    def _key(self, name: str) -> EntityKey:
        return EntityKey(self._call.agent_id, EntityKind.REMINDER, name)
