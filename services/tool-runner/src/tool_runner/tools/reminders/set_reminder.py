"""`set_reminder`: the session goes on by itself at a time."""

from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import AvailableTo
from agent_tools.tool import RECORDED, Arguments, Result, tool
from tool_runner.agent.reminders import AgentReminders


class SetReminder(Arguments):
    """When, and of what."""

    at: Annotated[
        str,
        Field(description="ISO 8601, such as 2026-02-25T09:00; without an offset, in the user's time zone."),
    ]
    message: Annotated[str, Field(description="What you are told then. Say all that you need to know.")]


class ReminderSet(Result):
    """The reminder's id, and its time in UTC."""

    id: str
    at: str


@tool("set_reminder", family="reminders", effect=RECORDED, available_to=AvailableTo.TOP_LEVEL)
async def set_reminder(args: SetReminder, reminders: AgentReminders) -> ReminderSet:
    """Be told something in this session at a time, once, and go on then.

    For work that comes again and again, schedule a task."""
    made = await reminders.set(args.at, args.message)
    return ReminderSet(id=made.id, at=made.reminder.at)
