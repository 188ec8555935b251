"""of this session"""

from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import AvailableTo, LastingEffect
from agent_tools.tool import PURE, RECORDED, Arguments, Result, tool
from tool_runner.agent.reminders import AgentReminders


class CancelReminder(Arguments):
    """Which one."""

    id: Annotated[str, Field(min_length=1, max_length=64, description="Its id, r_….")]


class ReminderDeletion(Result):
    """Whether there was one that waited."""

    deleted: bool


@tool(
    "cancel_reminder",
    family="reminders",
    effect=RECORDED,
    lasting=LastingEffect.CALL,
    available_to=AvailableTo.TOP_LEVEL,
)
async def cancel_reminder(args: CancelReminder, reminders: AgentReminders) -> ReminderDeletion:
    """Cancel a reminder of this session. Gives {"deleted": false} if none of that id waits; that is not an
    error."""
    return ReminderDeletion(deleted=await reminders.cancel(args.id))


class ReminderListArguments(Arguments):
    """No arguments."""


class ReminderResult(Result):
    """One that waits; `at` is in UTC."""

    id: str
    at: str
    message: str


class ReminderList(Result):
    """By time."""

    reminders: list[ReminderResult]


@tool("list_reminders", family="reminders", effect=PURE, available_to=AvailableTo.TOP_LEVEL)
async def list_reminders(_: ReminderListArguments, reminders: AgentReminders) -> ReminderList:
    """List the reminders of this session that are to come."""
    found = await reminders.list()
    return ReminderList(
        reminders=[
            ReminderResult(id=one.id, at=one.reminder.at, message=one.reminder.message) for one in found
        ]
    )


class SetReminder(Arguments):
    """When, and of what."""

    at: Annotated[
        str,
        Field(description="ISO 8601, such as 2026-02-25T09:00; without an offset, in the user's time zone."),
    ]
    message: Annotated[str, Field(description="What you are told then. Say all that you need to know.")]


class ReminderReceipt(Result):
    """The reminder's id, and its time in UTC."""

    id: str
    at: str


@tool("set_reminder", family="reminders", effect=RECORDED, available_to=AvailableTo.TOP_LEVEL)
async def set_reminder(args: SetReminder, reminders: AgentReminders) -> ReminderReceipt:
    """Be told something in this session at a time, once, and go on then.

    For work that comes again and again, schedule a task."""
    made = await reminders.set(args.at, args.message)
    return ReminderReceipt(id=made.id, at=made.reminder.at)
