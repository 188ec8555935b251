"""`schedule_task`: a prompt for a time to come."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import CoreTool, Lasting
from agent_tools.context import CallContext
from agent_tools.core_tools import core_result
from agent_tools.ports.running import OtherTools
from agent_tools.text import Text
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_protoagent.scheduling.jobs import all_jobs, job_of

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
    lasting=Lasting.CALL,
    alias_of=CoreTool("create_scheduled_task", "schedules"),
)
async def schedule_task(args: ScheduleTask, call: CallContext, tools: OtherTools) -> Text:
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
    return Text(text=f"Scheduled job {args.job_id or made['id']} next at {made['next_run']}.")
