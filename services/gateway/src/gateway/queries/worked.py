"""What commands did in the name of agents' calls: each command, and the files that it touched."""

from typing import Any

import msgspec

from agent_contracts.worked import Ending, Language, Touch
from agent_platform.process.clock import rfc3339
from gateway.queries import cursors
from gateway.queries.cursors import Cursor
from gateway.queries.database import Row, Snapshot
from gateway.queries.view import View

_PAGE = """
    WITH page AS (
        SELECT e.time AS at, lpad(e.place::text, 20, '0') || ':' || lpad(one.number::text, 3, '0') AS key,
               e.agent_id, e.session_id, e.sequence, e.body->>'call_id' AS call_id, one.command
        FROM events e
        CROSS JOIN LATERAL jsonb_array_elements(e.body->'worked'->'commands')
             WITH ORDINALITY AS one(command, number)
        WHERE e.body ? 'worked' AND e.problem IS NULL AND e.session_id IS NOT NULL AND e.time IS NOT NULL
          AND (%(agent_id)s::text IS NULL OR e.agent_id = %(agent_id)s)
          AND (%(session_id)s::text IS NULL OR e.session_id = %(session_id)s)
          AND (%(command)s::text IS NULL
               OR strpos(lower(one.command->>'command'), lower(%(command)s)) > 0)
          AND (%(file)s::text IS NULL OR EXISTS (
               SELECT 1 FROM jsonb_array_elements(one.command->'files') AS one_file
               WHERE strpos(lower(one_file->>'path'), lower(%(file)s)) > 0))
          AND (%(ending)s::text IS NULL OR one.command->>'ending' = %(ending)s)
          AND NOT EXISTS (SELECT 1 FROM erasures x WHERE x.name IN (e.session_id, e.agent_id))
          AND (%(before)s::timestamptz IS NULL OR e.time <= %(before)s::timestamptz)
    )
    SELECT p.*, c.tool, s.title
    FROM page p
    LEFT JOIN tool_calls c ON c.session_id = p.session_id AND c.call_id = p.call_id
    LEFT JOIN sessions s ON s.session_id = p.session_id
    WHERE %(before)s::timestamptz IS NULL OR (p.at, p.key) < (%(before)s::timestamptz, %(before_key)s::text)
    ORDER BY p.at DESC, p.key DESC LIMIT %(limit)s
"""


class FileTouched(View):
    """A file of the workspace: `opened` (and as it was), `created`, `changed` or `deleted`; its bytes."""

    path: str
    touch: Touch
    size: int


class CommandWorked(View):
    """A command as it was when the call ended that ran it, or looked at it.

    `command` is the beginning of its text, `programs` are the names of those that were seen to run, five
    times a second. `files` are those of the workspace that changed, or were opened, since it was last told
    of; `more_files` are not listed. `saw_all`: false where the kernel couldn't tell all that were opened.
    `sequence`: of the event that records it.
    """

    at: str
    agent_id: str
    session_id: str
    title: str | None
    call_id: str
    tool: str | None
    sequence: int
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
    rows = await snapshot.rows(
        _PAGE,
        **msgspec.structs.asdict(wanted),
        before=after.created_at if after else None,
        before_key=after.session_id if after else None,
        limit=limit + 1,
    )
    shown, next_cursor = cursors.page_of(rows, limit, "at", "key")
    return WhatRan(commands=[_ran(row) for row in shown], next_cursor=next_cursor)


def _ran(row: Row) -> CommandWorked:
    left_out: dict[str, Any] = {
        "exit_code": None,
        "duration_ms": 0,
        "programs": [],
        "more_files": 0,
        "saw_all": True,
    }
    command: dict[str, Any] = {**left_out, **row["command"]}
    files = [{"size": 0, **file} for file in command.get("files", ())]
    of_row = ("agent_id", "session_id", "title", "call_id", "tool", "sequence")
    told = {"at": rfc3339(row["at"]), **{name: row[name] for name in of_row}, **command, "files": files}
    return CommandWorked.model_validate(told)
