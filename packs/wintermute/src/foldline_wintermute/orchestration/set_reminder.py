"""`set_reminder`: in this chat, or in sessions of its own; once, or again and again."""

from agent_contracts.json_value import Json
from agent_tools.core_tools import core_result
from agent_tools.ports import OtherTools, SessionReminders
from agent_tools.tool import RECORDED, Result, tool
from foldline_wintermute.orchestration.spoken_times import iso_time
from foldline_wintermute.orchestration.times import SetReminder, again_of, when_of

MARK = "Reminder: "
"""How the names of the tasks that are reminders begin."""
_LONGEST_NAME = 200


class ReminderSet(Result):
    """Its id, by which it can be cancelled; the status of one that comes once says for when."""

    status: str
    job_id: str


@tool("set_reminder", family="orchestration", effect=RECORDED, always_sent=True)
async def set_reminder(args: SetReminder, reminders: SessionReminders, tools: OtherTools) -> ReminderSet:
    """Set a reminder: once, daily, weekly, monthly or at an interval, in the user's time zone.

    It comes in this chat: you go on with `ai_prompt` then; without one, `message` is shown to the user. A
    `system` one with `ai_prompt` runs that in a session of its own each time, and not in this chat; without
    one there is nothing to run, and `message` is shown here."""
    status = "scheduled"
    if args.schedule_type == "once" and args.at is not None:
        args = args.model_copy(update={"at": iso_time(args.at, await reminders.now())})
        status = f"scheduled for {args.at}"
    if not args.system or args.ai_prompt is None:
        text = args.message if args.ai_prompt is None else f"{args.message}\n\n{args.ai_prompt}"
        at = again_of(args) or when_of(args).at or ""
        made_here = await reminders.set(at, text, quiet=args.ai_prompt is None)
        return ReminderSet(status=status, job_id=made_here.id)
    when = when_of(args)
    name = f"{MARK}{args.message}"[:_LONGEST_NAME]
    asked: dict[str, Json] = {"name": name, "task": args.ai_prompt}
    asked |= {"at": when.at} if when.at is not None else {"cron": when.cron}
    made = await core_result(tools, "create_scheduled_task", asked)
    return ReminderSet(status=status, job_id=made["id"])
