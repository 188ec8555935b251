"""`list_reminders`: what is to come, and what became of what came."""

from typing import Any

from agent_contracts.tool_spec import AvailableTo
from agent_tools.core_tools import core_result
from agent_tools.ports.reminders import SessionReminders
from agent_tools.ports.running import OtherTools
from agent_tools.tool import PURE, Arguments, Result, tool
from foldline_wintermute.orchestration.set_reminder import MARK

MOST = 200
"""Of each of the three."""


class ListReminders(Arguments):
    """Nothing."""


class Reminder(Result):
    """One of them; times are in UTC. `schedule`: how it comes again, if it does."""

    job_id: str
    message: str
    next_run: str | None = None
    last_run: str | None = None
    schedule: str | None = None


class Reminders(Result):
    """Those to come first; then the others, the newest first."""

    active: list[Reminder]
    completed: list[Reminder]
    failed: list[Reminder]


@tool("list_reminders", family="orchestration", effect=PURE, available_to=AvailableTo.TOP_LEVEL)
async def list_reminders(args: ListReminders, reminders: SessionReminders, tools: OtherTools) -> Reminders:
    """List reminders: active ones, and those that were completed or failed. At most 200 of each."""
    here = await reminders.list()
    tasks = (await core_result(tools, "list_scheduled_tasks", {"include_disabled": True}))["tasks"]
    active = [
        Reminder(
            job_id=one.id,
            message=one.reminder.message,
            next_run=one.reminder.at,
            schedule=one.reminder.again.every if one.reminder.again else None,
        )
        for one in here
    ]
    completed: list[Reminder] = []
    failed: list[Reminder] = []
    for one in await reminders.over():
        (completed if one.reminder.done == "told" else failed).append(
            Reminder(job_id=one.id, message=one.reminder.message, last_run=one.reminder.at)
        )
    for task in tasks:
        if not task["name"].startswith(MARK):
            continue
        shown = _shown(task)
        if task["next_run"] is not None and task["enabled"]:
            active.append(shown)
        if task["last_outcome"] in ("failed", "missed", "stopped"):
            failed.append(shown)
        elif task["last_outcome"] == "succeeded":
            completed.append(shown)
    active.sort(key=lambda one: one.next_run or "")
    for over in (completed, failed):
        over.sort(key=lambda one: one.last_run or "", reverse=True)
    return Reminders(active=active[:MOST], completed=completed[:MOST], failed=failed[:MOST])


def _shown(task: dict[str, Any]) -> Reminder:
    return Reminder(
        job_id=task["id"],
        message=task["name"].removeprefix(MARK),
        next_run=task["next_run"] if task["enabled"] else None,
        last_run=task["last_run"],
        schedule=task["cron"],
    )
