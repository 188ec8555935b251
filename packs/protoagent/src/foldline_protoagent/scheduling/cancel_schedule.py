"""`cancel_schedule`: a job of this agent runs no more."""

from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.tool_spec import CoreTool, Lasting
from agent_tools.context import CallContext
from agent_tools.core_tools import core_result
from agent_tools.ports.running import OtherTools
from agent_tools.text import Text
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_protoagent.scheduling.jobs import all_jobs, job_of


class CancelSchedule(Arguments):
    """Which."""

    job_id: Annotated[str, Field(min_length=1, max_length=64, description="As schedule_task said it.")]


@tool(
    "cancel_schedule",
    family="scheduling",
    effect=RECORDED,
    lasting=Lasting.CALL,
    alias_of=CoreTool("cancel_scheduled_task", "schedules"),
)
async def cancel_schedule(args: CancelSchedule, call: CallContext, tools: OtherTools) -> Text:
    """Cancel a scheduled job by its id."""
    job = job_of(await all_jobs(tools), args.job_id)
    cancelled = await core_result(tools, "cancel_scheduled_task", {"id": job.id if job else args.job_id})
    if not cancelled["deleted"] and call.attempt == 1:  # a later one may find what the first did
        raise Rejected(f"Error: no such job {args.job_id}.", kind=ErrorKind.NOT_FOUND, path="/job_id")
    return Text(text=f"Canceled {args.job_id}.")
