"""what runs at its times"""

import re
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from pydantic import AfterValidator, Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import CoreTool, LastingEffect
from agent_tools.context import CallContext
from agent_tools.core_tools import core_result
from agent_tools.ports.running import OtherTools
from agent_tools.text import TextResult
from agent_tools.tool import PURE, RECORDED, Arguments, tool


class ScheduledJob(msgspec.Struct, frozen=True):
    """One of them. A `name` of one word is the job id that it was given."""

    id: str
    name: str
    task: str
    at: str | None
    cron: str | None
    timezone: str
    next_run: str | None

    @property
    def job_id(self) -> str:
        """By what it is cancelled."""
        return self.id if " " in self.name else self.name

    @property
    def schedule(self) -> str:
        """When it runs, as it was asked for."""
        return self.cron or self.at or ""


async def all_jobs(tools: OtherTools) -> Sequence[ScheduledJob]:
    """Those of this agent, paused ones too."""
    found: Any = await core_result(tools, "list_scheduled_tasks", {"include_disabled": True})
    return msgspec.convert(found["tasks"], list[ScheduledJob])


def job_of(jobs: Sequence[ScheduledJob], job_id: str) -> ScheduledJob | None:
    """The one of this id."""
    return next((job for job in jobs if job_id in (job.id, job.job_id)), None)


class CancelSchedule(Arguments):
    """Which."""

    job_id: Annotated[str, Field(min_length=1, max_length=64, description="As schedule_task said it.")]


@tool(
    "cancel_schedule",
    family="scheduling",
    effect=RECORDED,
    lasting=LastingEffect.CALL,
    alias_of=CoreTool("cancel_scheduled_task", "schedules"),
)
async def cancel_schedule(args: CancelSchedule, call: CallContext, tools: OtherTools) -> TextResult:
    """Cancel a scheduled job by its id."""
    job = job_of(await all_jobs(tools), args.job_id)
    cancelled = await core_result(tools, "cancel_scheduled_task", {"id": job.id if job else args.job_id})
    if not cancelled["deleted"] and call.attempt == 1:  # a later one may find what the first did
        raise Rejected(f"Error: no such job {args.job_id}.", kind=ErrorKind.NOT_FOUND, path="/job_id")
    return TextResult(text=f"Canceled {args.job_id}.")


_PREVIEW = 80


class ListSchedules(Arguments):
    """Nothing."""


@tool(
    "list_schedules", family="scheduling", effect=PURE, alias_of=CoreTool("list_scheduled_tasks", "schedules")
)
async def list_schedules(args: ListSchedules, tools: OtherTools) -> TextResult:
    """List your scheduled jobs, one a line: its id, when it runs next, its schedule and how its prompt
    begins."""
    lines = [
        f"{job.job_id}  next={job.next_run or 'never'}  schedule={job.schedule!r}  "
        f"{' '.join(job.task.split())[:_PREVIEW]}"
        for job in await all_jobs(tools)
    ]
    return TextResult(text="\n".join(lines) or "No scheduled jobs.")


_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?")
_LONGEST_NAME = 80


def _plain(job_id: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}", job_id):
        raise ValueError("has 1 to 64 letters, digits and _ . : -, and begins with a letter or a digit")
    return job_id


class ScheduleTask(Arguments):
    """What, and when."""

    prompt: Annotated[
        str,
        Field(min_length=1, max_length=50_000, description="What you are told then. It must stand alone."),
    ]
    when: Annotated[
        str,
        Field(
            min_length=1,
            max_length=200,
            description="Five fields of cron, such as 0 9 * * 1-5, or @monthly 31 09:00 (a shorter month's "
            "last day), or @every 5400 (seconds), or ISO 8601; UTC unless it says another.",
        ),
    ]
    job_id: Annotated[
        Annotated[str, AfterValidator(_plain)] | None, Field(description="A name to cancel it by.")
    ] = None


@tool(
    "schedule_task",
    family="scheduling",
    effect=RECORDED,
    lasting=LastingEffect.CALL,
    alias_of=CoreTool("create_scheduled_task", "schedules"),
)
async def schedule_task(args: ScheduleTask, call: CallContext, tools: OtherTools) -> TextResult:
    """Schedule a prompt for a time to come, once or again and again. You get it as a fresh turn then, and
    know nothing of this one."""
    when = args.when.strip()
    there = job_of(await all_jobs(tools), args.job_id) if args.job_id is not None else None
    taken = Rejected(
        f"Error: there is a job {args.job_id} already: cancel it, or take another job_id",
        kind=ErrorKind.CONFLICT,
        path="/job_id",
    )
    if there is not None and call.attempt == 1:
        raise taken
    name = args.job_id or f"Prompt: {' '.join(args.prompt.split())[:_LONGEST_NAME]}"
    timed: dict[str, Json] = {"at": when} if _ISO.fullmatch(when) else {"cron": when}
    try:
        made = await core_result(
            tools,
            "create_scheduled_task",
            {"name": name, "task": args.prompt, "timezone": "UTC", **timed},
        )
    except Rejected as refused:
        path = {"/at": "/when", "/cron": "/when", "/task": "/prompt", "/name": "/job_id"}
        raise Rejected(
            f"Error: {refused.message}", kind=refused.kind, path=path.get(refused.path or "", refused.path)
        ) from refused
    if there is not None and there.id != made["id"]:  # it is not what an earlier attempt made
        await core_result(tools, "cancel_scheduled_task", {"id": made["id"]})
        raise taken
    return TextResult(text=f"Scheduled job {args.job_id or made['id']} next at {made['next_run']}.")
