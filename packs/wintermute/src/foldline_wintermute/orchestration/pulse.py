"""`pulse`: what is going on, as rows in the agent's database."""

from typing import Annotated, Literal, TypeVar

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_platform.log.storable_text import storable_text
from agent_tools.ports.database import AgentDatabase
from agent_tools.tool import RECORDED, Arguments, Result, tool

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


class Item(Result):
    """One thing that is going on, or was."""

    id: int
    content: str
    priority: int
    status: str


class Pulsed(Result):
    """The item that was changed, or the items of a list, the most urgent first; `more` were left out."""

    item: Item | None = None
    items: list[Item] | None = None
    more: int | None = None


@tool("pulse", family="orchestration", effect=RECORDED, always_sent=True)
async def pulse(args: Pulse, database: AgentDatabase) -> Pulsed:
    """Keep track of what is going on, over all of your sessions: add an item, complete or update one, or list
    them."""
    match args.action:
        case "add":
            return Pulsed(item=await _added(args, database))
        case "list":
            return await _listed(args, database)
        case _:
            return Pulsed(item=await _changed(args, database))


async def _added(args: Pulse, database: AgentDatabase) -> Item:
    content = storable_text(_given(args.content, "content", args.action))
    if not await _is_there(database):
        await database.sql(_MADE, [])
    made = await database.sql(
        f"INSERT INTO {TABLE} (content, priority) VALUES (?, ?) RETURNING {_ROW}",
        [content, args.priority],
    )
    return _item(made.rows[0])


async def _changed(args: Pulse, database: AgentDatabase) -> Item:
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


async def _listed(args: Pulse, database: AgentDatabase) -> Pulsed:
    if not await _is_there(database):
        return Pulsed(items=[], more=0)
    where = "" if args.status == "all" else "WHERE status = ?"
    values: list[Json] = [] if args.status == "all" else [args.status]
    ((count,),) = (await database.sql(f"SELECT count(*) FROM {TABLE} {where}", values)).rows
    statement = f"SELECT {_ROW} FROM {TABLE} {where} ORDER BY priority, id LIMIT {MOST_LISTED}"
    rows = (await database.sql(statement, values)).rows
    assert isinstance(count, int)
    return Pulsed(items=[_item(row) for row in rows], more=count - len(rows))


async def _is_there(database: AgentDatabase) -> bool:
    found = await database.sql("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", [TABLE])
    return bool(found.rows)


def _item(row: list[Json]) -> Item:
    return Item.model_validate(dict(zip(("id", "content", "priority", "status"), row, strict=True)))


def _given(value: T | None, name: str, action: str) -> T:
    if value is None:
        raise _lacks(name, action)
    return value


def _lacks(name: str, action: str) -> Rejected:
    return Rejected(f"{action} needs {name}", kind=ErrorKind.INVALID_ARGUMENTS, path=f"/{name}")
