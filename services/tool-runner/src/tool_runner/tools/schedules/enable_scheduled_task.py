"""`enable_scheduled_task`."""

from agent_contracts.tool_spec import Lasting
from agent_tools.tool import RECORDED, tool
from tool_runner.agent.schedules import AgentSchedules
from tool_runner.tools.schedules.arguments import Switched, WhichTask


@tool("enable_scheduled_task", family="schedules", effect=RECORDED, lasting=Lasting.CALL)
async def enable_scheduled_task(args: WhichTask, schedules: AgentSchedules) -> Switched:
    """Let a paused scheduled task run again, from its next time on."""
    done = await schedules.switch(args.id, on=True)
    return Switched(id=done.id, enabled=done.schedule.enabled)
