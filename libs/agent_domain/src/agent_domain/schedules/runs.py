"""Runs of schedules: what is asked for by hand."""

from datetime import datetime

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import StoredScheduleRun, WaitingRun
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import AgentId
from agent_platform.entities.entity import EntityKey
from agent_platform.process.clock import rfc3339

MOST_WAITING = 10
"""Runs of one schedule that wait for their turn."""


def runs_key(agent_id: AgentId, schedule_id: str) -> EntityKey:
    """Where it stands what became of a schedule's due times."""
    return EntityKey(agent_id, EntityKind.RUN, schedule_id)


def run_now(before: StoredScheduleRun | None, now: datetime) -> StoredScheduleRun:
    """A run by hand, asked for: written as the next version of the schedule's `run`, it makes the scheduler
    start it, paused or not, beside whatever runs. `Rejected(kind="too_large")` when 10 wait already.
    """
    due_at = rfc3339(now)
    waiting = () if before is None else before.waiting
    if len(waiting) >= MOST_WAITING:
        raise Rejected(f"{MOST_WAITING} runs of this task wait already", kind=ErrorKind.TOO_LARGE)
    asked = StoredScheduleRun(
        due_at, "asked", by_hand=True, waiting=(*waiting, WaitingRun(due_at, by_hand=True))
    )
    if before is None:
        return asked
    return msgspec.structs.replace(
        asked, failures=before.failures, decided=before.decided, running=before.running
    )
