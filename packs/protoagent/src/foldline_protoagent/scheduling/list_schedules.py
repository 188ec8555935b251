"""`list_schedules`: the jobs of this agent."""

from agent_contracts.tool_spec import CoreTool
from agent_tools.ports.running import OtherTools
from agent_tools.text import Text
from agent_tools.tool import PURE, Arguments, tool
from foldline_protoagent.scheduling.jobs import all_jobs

_PREVIEW = 80


class ListSchedules(Arguments):
    """Nothing."""


@tool(
    "list_schedules", family="scheduling", effect=PURE, alias_of=CoreTool("list_scheduled_tasks", "schedules")
)
async def list_schedules(args: ListSchedules, tools: OtherTools) -> Text:
    """List your scheduled jobs, one a line: its id, when it runs next, its schedule and how its prompt
    begins."""
    lines = [
        f"{job.job_id}  next={job.next_run or 'never'}  schedule={job.schedule!r}  "
        f"{' '.join(job.task.split())[:_PREVIEW]}"
        for job in await all_jobs(tools)
    ]
    return Text(text="\n".join(lines) or "No scheduled jobs.")
