"""`set_reminder`: once in this chat, or again and again in sessions of its own."""

from agent_contracts.json_value import Json
from agent_tools.core_tools import core_result
from agent_tools.ports import OtherTools
from agent_tools.tool import RECORDED, Result, tool
from foldline_wintermute.orchestration.times import SetReminder, when_of

MARK = "Reminder: "
"""How the names of the tasks that are reminders begin."""
_LONGEST_NAME = 200


class ReminderSet(Result):
    """Its id, by which it can be cancelled."""

    status: str
    job_id: str


@tool("set_reminder", family="orchestration", effect=RECORDED, always_sent=True)
async def set_reminder(args: SetReminder, tools: OtherTools) -> ReminderSet:
    """Set a reminder: once, daily, weekly, monthly or at an interval, in the user's time zone.

    Once, it comes in this chat. One that comes again, or is `system`, runs in a session of its own. At its
    time you are told `ai_prompt`, else to tell the user `message`."""
    when = when_of(args)
    told = args.ai_prompt or f"Remind the user: {args.message}"
    if when.at is not None and not args.system:
        text = args.message if args.ai_prompt is None else f"{args.message}\n\n{args.ai_prompt}"
        made = await core_result(tools, "set_reminder", {"at": when.at, "message": text})
        return ReminderSet(status="scheduled", job_id=made["id"])
    asked: dict[str, Json] = {"name": f"{MARK}{args.message}"[:_LONGEST_NAME], "task": told}
    asked |= {"at": when.at} if when.at is not None else {"cron": when.cron}
    made = await core_result(tools, "create_scheduled_task", asked)
    return ReminderSet(status="scheduled", job_id=made["id"])
