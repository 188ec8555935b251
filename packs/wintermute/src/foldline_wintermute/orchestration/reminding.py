"""Tools of reminders, at times that are said as people say them."""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import AvailableTo, LastingEffect
from agent_platform.log.storable_text import storable_text
from agent_tools.core_tools import core_result
from agent_tools.ports.database import AgentDatabase
from agent_tools.ports.outside import LastingChanges
from agent_tools.ports.reminders import SessionReminders
from agent_tools.ports.running import OtherTools
from agent_tools.tool import PURE, RECORDED, Arguments, Result, tool
from foldline_wintermute.orchestration.times import (
    WintermuteSetReminder,
    again_of,
    clock_time,
    iso_time,
    when_of,
)

MARK = "Reminder: "
"""How the names of the tasks that are reminders begin."""
_LONGEST_NAME = 200
_BY_THE_CLOCK = ("daily", "weekly", "monthly")


class ReminderJobReceipt(Result):
    """Its id, by which it can be cancelled; the status says for when, where that was said in words."""

    status: str
    job_id: str


@tool("set_reminder", family="orchestration", effect=RECORDED, always_sent=True, lasting=LastingEffect.RUN)
async def set_reminder(
    args: WintermuteSetReminder, reminders: SessionReminders, tools: OtherTools, lasting: LastingChanges
) -> ReminderJobReceipt:
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
        return ReminderJobReceipt(status=status, job_id=made_here.id)
    when = when_of(args)
    name = f"{MARK}{args.message}"[:_LONGEST_NAME]
    asked: dict[str, Json] = {"name": name, "task": args.ai_prompt}
    asked |= {"at": when.at} if when.at is not None else {"cron": when.cron}
    await lasting.require(set_reminder.spec, args.model_dump(exclude_unset=True))
    made = await core_result(tools, "create_scheduled_task", asked)
    return ReminderJobReceipt(status=status, job_id=made["id"])


TABLE = "wintermute_pulse"
LONGEST = 4_000
"""Characters of an item."""
MOST_LISTED = 200
_MADE = (
    f"CREATE TABLE {TABLE} (id INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT NOT NULL, "
    "priority INTEGER NOT NULL, status TEXT NOT NULL DEFAULT 'active')"
)
_ROW = "id, content, priority, status"


T = TypeVar("T")


class Pulse(Arguments):
    """What to do to which item."""

    action: Literal["add", "complete", "list", "update"]
    content: Annotated[
        str | None, Field(min_length=1, max_length=LONGEST, description="For add and update.")
    ] = None
    item_id: Annotated[int | None, Field(description="For complete and update.")] = None
    priority: Annotated[
        int, Field(ge=1, le=10, description="1 (urgent) to 10 (low). An update without it keeps it.")
    ] = 5
    status: Annotated[Literal["active", "completed", "all"], Field(description="For list.")] = "active"


class PulseItem(Result):
    """One thing that is going on, or was."""

    id: int
    content: str
    priority: int
    status: str


class PulseResult(Result):
    """The item that was changed, or the items of a list, the most urgent first; `more` were left out."""

    item: PulseItem | None = None
    items: list[PulseItem] | None = None
    more: int | None = None


@tool("pulse", family="orchestration", effect=RECORDED, always_sent=True)
async def pulse(args: Pulse, database: AgentDatabase) -> PulseResult:
    """Keep track of what is going on, over all of your sessions: add an item, complete or update one, or list
    them."""
    match args.action:
        case "add":
            return PulseResult(item=await _added(args, database))
        case "list":
            return await _listed(args, database)
        case _:
            return PulseResult(item=await _changed(args, database))


async def _added(args: Pulse, database: AgentDatabase) -> PulseItem:
    content = storable_text(_given(args.content, "content", args.action))
    if not await _is_there(database):
        await database.sql(_MADE, [])
    made = await database.sql(
        f"INSERT INTO {TABLE} (content, priority) VALUES (?, ?) RETURNING {_ROW}",
        [content, args.priority],
    )
    return _item(made.rows[0])


async def _changed(args: Pulse, database: AgentDatabase) -> PulseItem:
    item_id = _given(args.item_id, "item_id", args.action)
    priority = args.priority if "priority" in args.model_fields_set else None
    if args.action == "update" and args.content is None and priority is None:
        raise _lacks("content", args.action)
    changed = (
        ("status = 'completed'", [])
        if args.action == "complete"
        else (
            "content = coalesce(?, content), priority = coalesce(?, priority)",
            [storable_text(args.content) if args.content is not None else None, priority],
        )
    )
    sets, values = changed
    found: list[list[Json]] = []
    if await _is_there(database):
        statement = f"UPDATE {TABLE} SET {sets} WHERE id = ? RETURNING {_ROW}"
        found = (await database.sql(statement, [*values, item_id])).rows
    if not found:
        raise Rejected(f"there is no item {item_id}", kind=ErrorKind.NOT_FOUND, path="/item_id")
    return _item(found[0])


async def _listed(args: Pulse, database: AgentDatabase) -> PulseResult:
    if not await _is_there(database):
        return PulseResult(items=[], more=0)
    where = "" if args.status == "all" else "WHERE status = ?"
    values: list[Json] = [] if args.status == "all" else [args.status]
    ((count,),) = (await database.sql(f"SELECT count(*) FROM {TABLE} {where}", values)).rows
    statement = f"SELECT {_ROW} FROM {TABLE} {where} ORDER BY priority, id LIMIT {MOST_LISTED}"
    rows = (await database.sql(statement, values)).rows
    assert isinstance(count, int)
    return PulseResult(items=[_item(row) for row in rows], more=count - len(rows))


async def _is_there(database: AgentDatabase) -> bool:
    found = await database.sql("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", [TABLE])
    return bool(found.rows)


def _item(row: list[Json]) -> PulseItem:
    return PulseItem.model_validate(dict(zip(("id", "content", "priority", "status"), row, strict=True)))


def _given(value: T | None, name: str, action: str) -> T:
    if value is None:
        raise _lacks(name, action)
    return value


def _lacks(name: str, action: str) -> Rejected:
    return Rejected(f"{action} needs {name}", kind=ErrorKind.INVALID_ARGUMENTS, path=f"/{name}")


MOST_REMINDERS = 200
"""Of each of the three."""


class ListReminders(Arguments):
    """Nothing."""


class ReminderJob(Result):
    """One of them; times are in UTC. `schedule`: how it comes again, if it does."""

    job_id: str
    message: str
    next_run: str | None = None
    last_run: str | None = None
    schedule: str | None = None


class ReminderJobs(Result):
    """Those to come first; then the others, the newest first."""

    active: list[ReminderJob]
    completed: list[ReminderJob]
    failed: list[ReminderJob]


@tool("list_reminders", family="orchestration", effect=PURE, available_to=AvailableTo.TOP_LEVEL)
async def list_reminders(args: ListReminders, reminders: SessionReminders, tools: OtherTools) -> ReminderJobs:
    """List reminders: active ones, and those that were completed or failed. At most 200 of each."""
    here = await reminders.list()
    tasks = (await core_result(tools, "list_scheduled_tasks", {"include_disabled": True}))["tasks"]
    active = [
        ReminderJob(
            job_id=one.id,
            message=one.reminder.message,
            next_run=one.reminder.at,
            schedule=one.reminder.again.every if one.reminder.again else None,
        )
        for one in here
    ]
    completed: list[ReminderJob] = []
    failed: list[ReminderJob] = []
    for one in await reminders.over():
        (completed if one.reminder.done == "told" else failed).append(
            ReminderJob(job_id=one.id, message=one.reminder.message, last_run=one.reminder.at)
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
    return ReminderJobs(
        active=active[:MOST_REMINDERS], completed=completed[:MOST_REMINDERS], failed=failed[:MOST_REMINDERS]
    )


def _shown(task: dict[str, Any]) -> ReminderJob:
    return ReminderJob(
        job_id=task["id"],
        message=task["name"].removeprefix(MARK),
        next_run=task["next_run"] if task["enabled"] else None,
        last_run=task["last_run"],
        schedule=task["cron"],
    )
