"""`set_reminder`: in this chat, or in sessions of its own; once, or again and again."""

from agent_contracts.json_value import Json
from agent_contracts.tool_spec import Lasting
from agent_tools.core_tools import core_result
from agent_tools.ports.outside import LastingChanges
from agent_tools.ports.reminders import SessionReminders
from agent_tools.ports.running import OtherTools
from agent_tools.tool import RECORDED, Result, tool
from foldline_wintermute.orchestration.spoken_times import clock_time, iso_time
from foldline_wintermute.orchestration.times import SetReminder, again_of, when_of

MARK = "Reminder: "
"""How the names of the tasks that are reminders begin."""
_LONGEST_NAME = 200
_BY_THE_CLOCK = ("daily", "weekly", "monthly")


class ReminderSet(Result):
    """Its id, by which it can be cancelled; the status says for when, where that was said in words."""

    status: str
    job_id: str


@tool("set_reminder", family="orchestration", effect=RECORDED, always_sent=True, lasting=Lasting.RUN)
async def set_reminder(
    args: SetReminder, reminders: SessionReminders, tools: OtherTools, lasting: LastingChanges
) -> ReminderSet:
    """Set a reminder: once, daily, weekly, monthly or at an interval, in the user's time zone.

    It comes in this chat: you go on with `ai_prompt` then; without one, `message` is shown to the user. A
    `system` one with `ai_prompt` runs that in a session of its own each time, and not in this chat; without
    one there is nothing to run, and `message` is shown here."""
    status = "scheduled"
    if args.schedule_type == "once" and args.at is not None:
        args = args.model_copy(update={"at": iso_time(args.at, await reminders.now())})
        status = f"scheduled for {args.at}"
    elif args.schedule_type in _BY_THE_CLOCK and args.at is not None:
        each = {"weekly": args.day_of_week, "monthly": args.day_of_month}.get(args.schedule_type)
        clock = clock_time(args.at, each, (await reminders.now()).tzinfo)
        if clock.lstrip("0") != args.at.strip().lstrip("0"):
            status = f"scheduled for {clock}"
        args = args.model_copy(update={"at": clock})
    if not args.system or args.ai_prompt is None:
        text = args.message if args.ai_prompt is None else f"{args.message}\n\n{args.ai_prompt}"
        at = again_of(args) or when_of(args).at or ""
        made_here = await reminders.set(at, text, quiet=args.ai_prompt is None)
        return ReminderSet(status=status, job_id=made_here.id)
    when = when_of(args)
    name = f"{MARK}{args.message}"[:_LONGEST_NAME]
    asked: dict[str, Json] = {"name": name, "task": args.ai_prompt}
    asked |= {"at": when.at} if when.at is not None else {"cron": when.cron}
    await lasting.require(set_reminder.spec, args.model_dump(exclude_unset=True))
    made = await core_result(tools, "create_scheduled_task", asked)
    return ReminderSet(status=status, job_id=made["id"])
