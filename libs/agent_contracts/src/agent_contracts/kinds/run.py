"""What became of a schedule's due times, by the schedule's id (see `schedules`)."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import StoredScheduleRun
from agent_contracts.event_sources import GATEWAY, SCHEDULER, SERVICE, USER
from agent_contracts.kinds.kind import ThingKind

RUN: ThingKind[StoredScheduleRun] = ThingKind(
    kind=EntityKind.RUN,
    noun="run of a scheduled task",
    nouns="runs of scheduled tasks",
    shape=StoredScheduleRun,
    named="id",
    writers={GATEWAY: USER, SCHEDULER: SERVICE},
    stays="it happened",
    with_session=False,
    copied_by_probes=False,
    counted_as="schedules",
    shown=False,
    has_row=False,
)
