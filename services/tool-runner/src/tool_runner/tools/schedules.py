"""in new sessions"""

from typing import Annotated, Literal

from pydantic import Field

from agent_contracts.entities.schedules import Misfire, Overlap, RunOutcome
from agent_contracts.tool_spec import LastingEffect
from agent_domain.schedules.rules import ScheduleDraft
from agent_tools.tool import PURE, RECORDED, Arguments, Result, tool
from tool_runner.agent.schedules import AgentSchedules, ScheduleWithRuns


class WhichTask(Arguments):
    """Which one."""

    id: Annotated[str, Field(min_length=1, max_length=64, description="Its id, t_….")]


class ScheduleSwitch(Result):
    """Whether it runs at its times now."""

    id: str
    enabled: bool


class CreateScheduledTask(Arguments):
    """What, and when."""

    name: Annotated[str, Field(description="What people call it.")]
    task: Annotated[
        str, Field(description="What you are told in each fresh session. It knows nothing of this one.")
    ]
    at: Annotated[str | None, Field(description="Once: ISO 8601; without an offset, in the time zone.")] = (
        None
    )
    cron: Annotated[
        str | None,
        Field(
            description="Again and again: five fields such as 0 9 * * MON, @daily, @monthly 31 09:00 (of a "
            "shorter month its last day), @every 5400 (seconds) or @every 5400 09:00-17:00 (within a window)."
        ),
    ] = None
    timezone: Annotated[str | None, Field(description="IANA name; else the user's.")] = None
    model: Annotated[str | None, Field(description="For its sessions; else the usual one.")] = None
    token_limit: Annotated[int | None, Field(description="Of each of its sessions.")] = None
    misfire: Annotated[Misfire, Field(description="After times were missed: run once, or skip them.")] = (
        "run_once"
    )
    overlap: Annotated[Overlap, Field(description="While the run before it still works.")] = "skip"


class TaskCreated(Result):
    """The task's id, and when it runs first, in UTC."""

    id: str
    name: str
    next_run: str | None


@tool("create_scheduled_task", family="schedules", effect=RECORDED, lasting=LastingEffect.CALL)
async def create_scheduled_task(args: CreateScheduledTask, schedules: AgentSchedules) -> TaskCreated:
    """Schedule a task, at one time or by cron. Each time it runs in a fresh session.

    Give exactly one of at and cron. What it should remember from run to run, keep in state or the
    database."""
    made = await schedules.create(ScheduleDraft(**args.model_dump()))
    return TaskCreated(id=made.id, name=made.schedule.name, next_run=made.next_run)


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


def _shown(one: ScheduleWithRuns) -> ScheduledTask:
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


class ScheduleDeletion(Result):
    """Whether there was anything to delete."""

    deleted: bool


@tool("cancel_scheduled_task", family="schedules", effect=RECORDED, lasting=LastingEffect.CALL)
async def cancel_scheduled_task(args: WhichTask, schedules: AgentSchedules) -> ScheduleDeletion:
    """Delete a scheduled task. A run that is at work goes on. Gives {"deleted": false} if there is none; that
    is not an error."""
    return ScheduleDeletion(deleted=await schedules.cancel(args.id))


@tool("disable_scheduled_task", family="schedules", effect=RECORDED, lasting=LastingEffect.CALL)
async def disable_scheduled_task(args: WhichTask, schedules: AgentSchedules) -> ScheduleSwitch:
    """Pause a scheduled task: its times pass until you enable it again."""
    done = await schedules.switch(args.id, on=False)
    return ScheduleSwitch(id=done.id, enabled=done.schedule.enabled)


@tool("enable_scheduled_task", family="schedules", effect=RECORDED, lasting=LastingEffect.CALL)
async def enable_scheduled_task(args: WhichTask, schedules: AgentSchedules) -> ScheduleSwitch:
    """Let a paused scheduled task run again, from its next time on."""
    done = await schedules.switch(args.id, on=True)
    return ScheduleSwitch(id=done.id, enabled=done.schedule.enabled)
