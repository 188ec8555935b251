"""A message to a session, at a time."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import MOST_REMINDERS, StoredReminder
from agent_contracts.kinds.kind import SCHEDULED, ThingKind

REMINDER: ThingKind[StoredReminder] = ThingKind(
    kind=EntityKind.REMINDER,
    noun="reminder",
    nouns="reminders",
    shape=StoredReminder,
    named="id",
    label="message",
    times=("at",),
    session_in="session_id",
    most=MOST_REMINDERS,
    writers=SCHEDULED,
    copied_by_probes=False,
    acts=True,
    counted_as="schedules",
)
