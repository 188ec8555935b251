"""What commands did in the name of agents' calls: each command, and the files that it touched."""

from typing import Any

import msgspec

from agent_contracts.api.egress import CommandPage, CommandRecord
from agent_contracts.worked import Ending
from gateway.queries import cursors
from gateway.queries.cursors import Cursor
from gateway.queries.database import ProjectionSnapshot, Row
from gateway.queries.told_of_calls import of_call, told_of_calls

_WANTED = """(%(command)s::text IS NULL OR strpos(lower(one->>'command'), lower(%(command)s)) > 0)
    AND (%(file)s::text IS NULL OR EXISTS (
         SELECT 1 FROM jsonb_array_elements(one->'files') AS file
         WHERE strpos(lower(file->>'path'), lower(%(file)s)) > 0))
    AND (%(ending)s::text IS NULL OR one->>'ending' = %(ending)s)"""
_PAGE = told_of_calls("worked", "commands", _WANTED)


class CommandQuery(msgspec.Struct, frozen=True):
    """Which commands; None: any. `command` is a part of its text, `file` of the path of one that it touched,
    in whatever case."""

    agent_id: str | None = None
    session_id: str | None = None
    command: str | None = None
    file: str | None = None
    ending: Ending | None = None


async def page(
    snapshot: ProjectionSnapshot, wanted: CommandQuery, after: Cursor | None, limit: int
) -> CommandPage:
    """The newest `limit` that come after the cursor."""
    rows, next_cursor = await cursors.page(
        snapshot, _PAGE, after, limit, ("at", "key"), **msgspec.structs.asdict(wanted)
    )
    return CommandPage(commands=[_ran(row) for row in rows], next_cursor=next_cursor)


def _ran(row: Row) -> CommandRecord:
    left_out: dict[str, Any] = {
        "exit_code": None,
        "duration_ms": 0,
        "programs": [],
        "more_files": 0,
        "saw_all": True,
    }
    command: dict[str, Any] = {**left_out, **row["one"]}
    files = [{"size": 0, **file} for file in command.get("files", ())]
    return msgspec.convert({**of_call(row), **command, "files": files}, CommandRecord)
