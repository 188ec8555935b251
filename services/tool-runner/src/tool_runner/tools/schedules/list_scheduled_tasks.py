"""`list_scheduled_tasks`."""

from typing import Annotated, Literal

from pydantic import Field

from agent_contracts.entities.schedules import RunOutcome
from agent_tools.tool import PURE, Arguments, Result, tool
from tool_runner.agent.schedules import AgentSchedules, Scheduled


class ListScheduledTasks(Arguments):
    """Which of them."""

    include_disabled: Annotated[bool, Field(description="Also those that are paused.")] = False


class ScheduledTask(Result):
    """A task; times are in UTC. `paused_because` says why, where nobody paused it by hand."""

    id: str
    name: str
    task: str
    type: Literal["once", "cron"]
    at: str | None
    cron: str | None
    timezone: str
    next_run: str | None
    last_run: str | None
    last_outcome: RunOutcome | None
    enabled: bool
    paused_because: str | None
    model: str | None


class ScheduledTasks(Result):
    """By name."""

    tasks: list[ScheduledTask]


@tool("list_scheduled_tasks", family="schedules", effect=PURE)
async def list_scheduled_tasks(args: ListScheduledTasks, schedules: AgentSchedules) -> ScheduledTasks:
    """List your scheduled tasks, with when each runs next and how it last went; those that are paused only if
    you ask for them."""
    found = await schedules.list()
    return ScheduledTasks(
        tasks=[_shown(one) for one in found if one.schedule.enabled or args.include_disabled]
    )


def _shown(one: Scheduled) -> ScheduledTask:
    schedule, last = one.schedule, one.last
    return ScheduledTask(
        id=one.id,
        name=schedule.name,
        task=schedule.task,
        type="once" if schedule.cron is None else "cron",
        at=schedule.at,
        cron=schedule.cron,
        timezone=schedule.timezone,
        next_run=one.next_run,
        last_run=last.due_at if last else None,
        last_outcome=last.outcome if last else None,
        enabled=schedule.enabled,
        paused_because=schedule.paused_because,
        model=schedule.model,
    )
