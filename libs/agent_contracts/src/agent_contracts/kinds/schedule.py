"""A task that a session of its own does, at a time or again and again."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import MOST_SCHEDULES, StoredSchedule
from agent_contracts.kinds.kind import SCHEDULED, ThingKind

SCHEDULE: ThingKind[StoredSchedule] = ThingKind(
    kind=EntityKind.SCHEDULE,
    noun="scheduled task",
    nouns="scheduled tasks",
    shape=StoredSchedule,
    named="id",
    label="name",
    times=("at",),
    most=MOST_SCHEDULES,
    writers=SCHEDULED,
    copied_by_probes=False,
    acts=True,
    counted_as="schedules",
)
