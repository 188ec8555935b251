"""a board of things to do"""

from typing import Annotated, Literal

import msgspec
from pydantic import AfterValidator, Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_tools.ports.agent import AgentState
from agent_tools.ports.database import AgentDatabase, SqlAnswer
from agent_tools.tables import ensure_tables, has_table
from agent_tools.text import TextResult
from agent_tools.tool import PURE, RECORDED, Arguments, tool

IssueType = Literal["task", "bug", "feature", "chore", "epic"]
Status = Literal["open", "in_progress", "blocked", "deferred", "closed"]

MOST_SHOWN = 200
LONGEST_TITLE = 300
LONGEST_DESCRIPTION = 20_000

_TABLE = "protoagent_beads"
_CREATE = (
    f"CREATE TABLE IF NOT EXISTS {_TABLE} ("
    "id TEXT PRIMARY KEY, title TEXT NOT NULL, description TEXT NOT NULL, "
    "status TEXT NOT NULL DEFAULT 'open', priority INTEGER NOT NULL, issue_type TEXT NOT NULL, "
    "reason TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, "
    "updated_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, closed_at TEXT)"
)
_ROW = "id, title, status, priority, issue_type"
_STAMP = "lower(hex(randomblob(8)))"
"""Drawn by the database, so that it is the same in each replay."""
CHANGED = "beads/changed"
"""A key of the state that changes with the board: its page looks at it."""


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _has_words(text: str) -> str:
    if not text:
        raise ValueError("must not be blank")
    return text


Title = Annotated[
    str, AfterValidator(_one_line), Field(max_length=LONGEST_TITLE, description="In a few words.")
]
NewTitle = Annotated[Title, AfterValidator(_has_words)]
Description = Annotated[str, Field(max_length=LONGEST_DESCRIPTION, description="What it is about.")]
IssueId = Annotated[str, Field(min_length=1, max_length=64, description="Its id, bd-….")]


Board = tuple[AgentDatabase, AgentState]
"""Where it is kept, and where it is said that it changed."""


class Bead(msgspec.Struct, frozen=True, array_like=True):
    """One thing to do; priority 0 is the most urgent."""

    id: str
    title: str
    status: str
    priority: int
    issue_type: str

    @property
    def line(self) -> str:
        """All of it on one line."""
        return f"[{self.status}] {self.id} (p{self.priority}, {self.issue_type}) {self.title}"


async def created(board: Board, title: str, description: str, priority: int, issue_type: IssueType) -> Bead:
    """Put one on the board."""
    database, state = board
    await ensure_tables(database, {_TABLE: _CREATE})
    answer = await database.sql(
        f"INSERT INTO {_TABLE} (id, title, description, priority, issue_type) "
        f"VALUES ('bd-' || lower(hex(randomblob(4))), ?, ?, ?, ?) RETURNING {_ROW}, {_STAMP}",
        [title, description, priority, issue_type],
    )
    await state.set(CHANGED, answer.rows[0][-1])
    return _beads(answer)[0]


async def listed(database: AgentDatabase, *, closed: bool) -> tuple[list[Bead], int]:
    """Those on the board, the most urgent first and of these the oldest; and how many there are in all."""
    if not await has_table(database, _TABLE):
        return [], 0
    answer = await database.sql(
        f"SELECT {_ROW}, count(*) OVER () FROM {_TABLE} WHERE ? OR status <> 'closed' "
        f"ORDER BY status = 'closed', priority, rowid LIMIT {MOST_SHOWN}",
        [int(closed)],
    )
    in_all = msgspec.convert(answer.rows[0][-1], int) if answer.rows else 0
    return _beads(answer), in_all


async def changed(board: Board, issue_id: str, fields: dict[str, Json]) -> Bead:
    """The one with these columns changed. `Rejected(kind="not_found")` if there is none of that id."""
    database, state = board
    found = False
    if await has_table(database, _TABLE):
        known = await database.sql(f"SELECT 1 FROM {_TABLE} WHERE id = ?", [issue_id])
        found = bool(known.rows)
    if not found:
        raise Rejected(f"Error: no such issue {issue_id}", kind=ErrorKind.NOT_FOUND, path="/issue_id")
    sets = "".join(f"{column} = ?, " for column in fields)
    closing = "closed_at = CASE WHEN status = 'closed' THEN closed_at END"
    if "status" in fields:
        closing = f"closed_at = {'CURRENT_TIMESTAMP' if fields['status'] == 'closed' else 'NULL'}"
    answer = await database.sql(
        f"UPDATE {_TABLE} SET {sets}updated_at = CURRENT_TIMESTAMP, {closing} WHERE id = ? "
        f"RETURNING {_ROW}, {_STAMP}",
        [*fields.values(), issue_id],
    )
    await state.set(CHANGED, answer.rows[0][-1])
    return _beads(answer)[0]


def _beads(answer: SqlAnswer) -> list[Bead]:
    try:
        return msgspec.convert([row[:5] for row in answer.rows], list[Bead])
    except msgspec.ValidationError as error:
        raise Rejected(
            f"the table {_TABLE} holds something else than the board ({error}): it was changed by other "
            "statements"
        ) from error


class BeadsClose(Arguments):
    """Which, and why."""

    issue_id: IssueId
    reason: Annotated[str, Field(max_length=2_000, description="Done, or why it won't be.")] = ""


@tool("beads_close", family="beads", effect=RECORDED)
async def beads_close(args: BeadsClose, database: AgentDatabase, state: AgentState) -> TextResult:
    """Close something on your board, because it is done or won't be."""
    bead = await changed((database, state), args.issue_id, {"status": "closed", "reason": args.reason})
    return TextResult(text=f"Closed {bead.id}: {bead.title}")


class BeadsCreate(Arguments):
    """What is to be done."""

    title: NewTitle
    description: Description = ""
    priority: Annotated[int, Field(ge=0, le=3, description="0 is the most urgent.")] = 2
    issue_type: IssueType = "task"


@tool("beads_create", family="beads", effect=RECORDED)
async def beads_create(args: BeadsCreate, database: AgentDatabase, state: AgentState) -> TextResult:
    """Put something on your board of things to do, where the user sees it too: plan there what takes several
    steps."""
    bead = await created((database, state), args.title, args.description, args.priority, args.issue_type)
    return TextResult(text=f"Created {bead.id}: {bead.title} ({bead.issue_type}, p{bead.priority})")


class BeadsList(Arguments):
    """Which."""

    include_closed: Annotated[bool, Field(description="What is done, too.")] = False


@tool("beads_list", family="beads", effect=PURE)
async def beads_list(args: BeadsList, database: AgentDatabase) -> TextResult:
    """List what is on your board, the most urgent first."""
    beads, in_all = await listed(database, closed=args.include_closed)
    if not beads:
        return TextResult(text="No issues on the board.")
    more = [f"… and {in_all - len(beads):,} more"] if in_all > len(beads) else []
    return TextResult(text="\n".join([*(bead.line for bead in beads), *more]))


class BeadsUpdate(Arguments):
    """Which, and what of it; what is empty stays as it is."""

    issue_id: IssueId
    status: Status | Literal[""] = ""
    title: Title = ""
    description: Description = ""
    priority: Annotated[int, Field(ge=-1, le=3, description="0 to 3; -1 keeps it.")] = -1
    issue_type: IssueType | Literal[""] = ""


@tool("beads_update", family="beads", effect=RECORDED)
async def beads_update(args: BeadsUpdate, database: AgentDatabase, state: AgentState) -> TextResult:
    """Change something on your board: how it stands, its title, description, priority or type."""
    fields: dict[str, Json] = {
        name: value
        for name in ("status", "title", "description", "issue_type")
        if (value := getattr(args, name))
    }
    if args.priority >= 0:
        fields["priority"] = args.priority
    if not fields:
        raise Rejected("Error: nothing to change was given", kind=ErrorKind.INVALID_ARGUMENTS)
    bead = await changed((database, state), args.issue_id, fields)
    return TextResult(text=f"Updated {bead.id}: [{bead.status}] {bead.title}")
