"""`create_scheduled_task`: a prompt that runs in a fresh session at its times."""

from typing import Annotated

from pydantic import Field

from agent_contracts.entities.schedules import Misfire, Overlap
from agent_contracts.tool_spec import Lasting
from agent_domain.schedules.rules import ScheduleDraft
from agent_tools.tool import RECORDED, Arguments, Result, tool
from tool_runner.agent.schedules import AgentSchedules


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


@tool("create_scheduled_task", family="schedules", effect=RECORDED, lasting=Lasting.CALL)
async def create_scheduled_task(args: CreateScheduledTask, schedules: AgentSchedules) -> TaskCreated:
    """Schedule a task, at one time or by cron. Each time it runs in a fresh session.

    Give exactly one of at and cron. What it should remember from run to run, keep in state or the
    database."""
    made = await schedules.create(ScheduleDraft(**args.model_dump()))
    return TaskCreated(id=made.id, name=made.schedule.name, next_run=made.next_run)
