"""`list_reminders`."""

from agent_contracts.tool_spec import AvailableTo
from agent_tools.tool import PURE, Arguments, Result, tool
from tool_runner.agent.reminders import AgentReminders


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
