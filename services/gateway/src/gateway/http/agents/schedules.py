"""An agent's scheduled tasks: list, make, change, pause, resume, run now, runs, versions, revert, delete."""

from typing import Annotated

from fastapi import Depends, Query

from agent_contracts.api.schedules import (
    NewSchedule,
    NextTimes,
    Schedule,
    ScheduleRun,
    WhenRequest,
    WriteSchedule,
)
from agent_contracts.api.wire import Page
from agent_domain.schedules.rules import ScheduleDraft
from gateway.http.things import named, things
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import LIMIT, AgentPath, AsOf, NamePath, NumberCursor, Using
from gateway.http.wire.resource import resource
from gateway.operations.agents.schedules import TaskKey

router = resource("agents", "/agents/{agent_id}/schedules")

Limit = Annotated[int, Query(ge=1, le=200, description=LIMIT)]


async def _place(agent_id: AgentPath, name: NamePath) -> TaskKey:
    return TaskKey(agent_id, name)


things(
    router,
    lambda operations: operations.schedules,
    Schedule,
    ("/{name}", Annotated[TaskKey, Depends(_place)]),
    named("Schedule", ("read", "versions", "revert", "delete")),
    {
        "revert": "Make an earlier version the newest, also of one that was deleted. A time that has passed\n"
        "is refused.",
        "delete": "Delete it; its runs and versions stay readable, and it can be reverted to one.",
    },
)


@router.get("", operation_id="listSchedules")
async def list_all(operations: Using, agent_id: AgentPath, at: AsOf = None) -> Page[Schedule]:
    """By name, paused ones too, with their next five times; or as they were after event `at`, without."""
    return await operations.schedules.list(agent_id, at)


@router.post("", operation_id="createSchedule", status_code=201)
async def create(
    operations: Using, agent_id: AgentPath, body: NewSchedule, key: KeyHeader = None
) -> Schedule:
    """Schedule a task. Otherwise nothing is stored, and the problem has the `path` of what is wrong."""
    return await operations.schedules.create(agent_id, _draft(body), asked(key, body))


@router.post(":preview", operation_id="previewSchedule")
async def preview(operations: Using, agent_id: AgentPath, body: WhenRequest) -> NextTimes:
    """The next five times of a task that isn't stored; the problem has the `path` of what is wrong."""
    draft = ScheduleDraft("preview", "preview", body.at, body.cron, body.timezone)
    return await operations.schedules.next_times(agent_id, draft)


@router.put("/{name}", operation_id="putSchedule")
async def write(
    operations: Using, agent_id: AgentPath, name: NamePath, body: WriteSchedule, key: KeyHeader = None
) -> Schedule:
    """Change it. What it is already makes no version."""
    return await operations.schedules.write(
        TaskKey(agent_id, name), _draft(body), body.version, asked(key, body)
    )


@router.post("/{name}:pause", operation_id="pauseSchedule")
async def pause(operations: Using, agent_id: AgentPath, name: NamePath, key: KeyHeader = None) -> Schedule:
    """Let its times pass."""
    return await operations.schedules.switch(TaskKey(agent_id, name), asked(key), enabled=False)


@router.post("/{name}:resume", operation_id="resumeSchedule")
async def resume(operations: Using, agent_id: AgentPath, name: NamePath, key: KeyHeader = None) -> Schedule:
    """Let it run at its times again, from its next one on."""
    return await operations.schedules.switch(TaskKey(agent_id, name), asked(key), enabled=True)


@router.post("/{name}:run", operation_id="runSchedule", status_code=202)
async def run(operations: Using, agent_id: AgentPath, name: NamePath, key: KeyHeader = None) -> Schedule:
    """Run it now, beside its times, also while it is paused. Its session is among its runs in a moment."""
    return await operations.schedules.run(TaskKey(agent_id, name), asked(key))


@router.get("/{name}/runs", operation_id="listScheduleRuns")
async def list_runs(
    operations: Using, agent_id: AgentPath, name: NamePath, cursor: NumberCursor, limit: Limit = 50
) -> Page[ScheduleRun]:
    """What became of its times, newest first; of one that was deleted, too."""
    return await operations.schedules.runs(TaskKey(agent_id, name), cursor, limit)


def _draft(body: NewSchedule) -> ScheduleDraft:
    return ScheduleDraft(**{name: getattr(body, name) for name in NewSchedule.__struct_fields__})
