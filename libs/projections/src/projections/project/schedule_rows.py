"""What becomes of the due times of scheduled tasks, as rows: each has one, whatever the entity says later."""

from msgspec.structs import asdict

from agent_contracts.entities.entity import EntityDeleted, EntityEvent
from agent_contracts.entities.schedules import StoredScheduleRun
from projections.agent_tables import SCHEDULE_RUNS, RunRow
from projections.project.batch_rows import Change, PutRow
from projections.project.entity_at import EntityAt, fitting, made, moment


def run_changes(at: EntityAt, event: EntityEvent) -> list[Change]:
    """What is told of one due time, in place of what was told of it before; nothing takes it away."""
    if isinstance(event, EntityDeleted):
        return []
    run = fitting(event.value, StoredScheduleRun)
    row = RunRow(
        **asdict(made(at, event)),
        schedule_id=event.name,
        due_on=moment(run.due_at),
        by_hand=run.by_hand,
        outcome=run.outcome,
        ran_in=run.session_id,
        reason=run.reason,
        failures=run.failures,
    )
    return [PutRow(SCHEDULE_RUNS, row)]
