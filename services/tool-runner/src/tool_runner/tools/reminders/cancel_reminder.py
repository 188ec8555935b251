"""`cancel_reminder`."""

from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import AvailableTo, Lasting
from agent_tools.tool import RECORDED, Arguments, Result, tool
from tool_runner.agent.reminders import AgentReminders


class CancelReminder(Arguments):
    """Which one."""

    id: Annotated[str, Field(min_length=1, max_length=64, description="Its id, r_….")]


class Cancelled(Result):
    """Whether there was one that waited."""

    deleted: bool


@tool(
    "cancel_reminder",
    family="reminders",
    effect=RECORDED,
    lasting=Lasting.CALL,
    available_to=AvailableTo.TOP_LEVEL,
)
async def cancel_reminder(args: CancelReminder, reminders: AgentReminders) -> Cancelled:
    """Cancel a reminder of this session. Gives {"deleted": false} if none of that id waits; that is not an
    error."""
    return Cancelled(deleted=await reminders.cancel(args.id))
