"""of this session"""

from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import AvailableTo, Lasting
from agent_tools.tool import PURE, RECORDED, Arguments, Result, tool
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


class Nothing(Arguments):
    """No arguments."""


class Reminder(Result):
    """One that waits; `at` is in UTC."""

    id: str
    at: str
    message: str


class Reminders(Result):
    """By time."""

    reminders: list[Reminder]


@tool("list_reminders", family="reminders", effect=PURE, available_to=AvailableTo.TOP_LEVEL)
async def list_reminders(_: Nothing, reminders: AgentReminders) -> Reminders:
    """List the reminders of this session that are to come."""
    found = await reminders.list()
    return Reminders(
        reminders=[Reminder(id=one.id, at=one.reminder.at, message=one.reminder.message) for one in found]
    )


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
