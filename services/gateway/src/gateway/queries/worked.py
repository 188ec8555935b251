"""What commands did in the name of agents' calls: each command, and the files that it touched."""

from typing import Any

import msgspec

from agent_contracts.worked import Ending, Language, Touch
from gateway.queries import cursors
from gateway.queries.cursors import Cursor
from gateway.queries.database import Row, Snapshot
from gateway.queries.told_of_calls import ToldOfCall, of_call, told_of_calls
from gateway.queries.view import View

_WANTED = """(%(command)s::text IS NULL OR strpos(lower(one->>'command'), lower(%(command)s)) > 0)
    AND (%(file)s::text IS NULL OR EXISTS (
         SELECT 1 FROM jsonb_array_elements(one->'files') AS file
         WHERE strpos(lower(file->>'path'), lower(%(file)s)) > 0))
    AND (%(ending)s::text IS NULL OR one->>'ending' = %(ending)s)"""
_PAGE = told_of_calls("worked", "commands", _WANTED)


class FileTouched(View):
    """A file of the workspace: `opened` (and as it was), `created`, `changed` or `deleted`; its bytes."""

    path: str
    touch: Touch
    size: int


class CommandWorked(ToldOfCall):
    """A command as it was when the call ended that ran it, or looked at it.

    `command` is the beginning of its text, `programs` are the names of those that were seen to run, five
    times a second. `files` are those of the workspace that changed, or were opened, since it was last told
    of; `more_files` are not listed. `saw_all`: false where the kernel couldn't tell all that were opened.
    `sequence`: of the event that records it.
    """

    command_id: str
    language: Language
    command: str
    ending: Ending
    exit_code: int | None
    duration_ms: int
    programs: list[str]
    files: list[FileTouched]
    more_files: int
    saw_all: bool


class WhatRan(View):
    """A page, newest first. `next_cursor`: pass it back as `cursor`; null: there is no further page."""

    commands: list[CommandWorked]
    next_cursor: str | None


class Filter(msgspec.Struct, frozen=True):
    """Which commands; None: any. `command` is a part of its text, `file` of the path of one that it touched,
    in whatever case."""

    agent_id: str | None = None
    session_id: str | None = None
    command: str | None = None
    file: str | None = None
    ending: Ending | None = None


async def page(snapshot: Snapshot, wanted: Filter, after: Cursor | None, limit: int) -> WhatRan:
    """The newest `limit` that come after the cursor."""
    rows, next_cursor = await cursors.page(
        snapshot, _PAGE, after, limit, ("at", "key"), **msgspec.structs.asdict(wanted)
    )
    return WhatRan(commands=[_ran(row) for row in rows], next_cursor=next_cursor)


def _ran(row: Row) -> CommandWorked:
    left_out: dict[str, Any] = {
        "exit_code": None,
        "duration_ms": 0,
        "programs": [],
        "more_files": 0,
        "saw_all": True,
    }
    command: dict[str, Any] = {**left_out, **row["one"]}
    files = [{"size": 0, **file} for file in command.get("files", ())]
    return CommandWorked.model_validate({**of_call(row), **command, "files": files})
