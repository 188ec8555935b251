"""`cancel_scheduled_task`."""

from agent_contracts.tool_spec import Lasting
from agent_tools.tool import RECORDED, Result, tool
from tool_runner.agent.schedules import AgentSchedules
from tool_runner.tools.schedules.arguments import WhichTask


class Cancelled(Result):
    """Whether there was anything to delete."""

    deleted: bool


@tool("cancel_scheduled_task", family="schedules", effect=RECORDED, lasting=Lasting.CALL)
async def cancel_scheduled_task(args: WhichTask, schedules: AgentSchedules) -> Cancelled:
    """Delete a scheduled task. A run that is at work goes on. Gives {"deleted": false} if there is none; that
    is not an error."""
    return Cancelled(deleted=await schedules.cancel(args.id))
