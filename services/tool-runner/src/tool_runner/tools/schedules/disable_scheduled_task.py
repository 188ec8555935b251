"""`disable_scheduled_task`."""

from agent_contracts.tool_spec import Lasting
from agent_tools.tool import RECORDED, tool
from tool_runner.agent.schedules import AgentSchedules
from tool_runner.tools.schedules.arguments import Switched, WhichTask


@tool("disable_scheduled_task", family="schedules", effect=RECORDED, lasting=Lasting.CALL)
async def disable_scheduled_task(args: WhichTask, schedules: AgentSchedules) -> Switched:
    """Pause a scheduled task: its times pass until you enable it again."""
    done = await schedules.switch(args.id, on=False)
    return Switched(id=done.id, enabled=done.schedule.enabled)
