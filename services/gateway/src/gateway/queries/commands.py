"""What commands did in the name of agents' calls: each command, and the files that it touched."""

from typing import Any

import msgspec

from agent_contracts.lists.commands import CommandRecord
from gateway.queries.cursors import ListQuery
from gateway.queries.database import Row
from gateway.queries.told_of_calls import of_call, told_of_calls

_WANTED = """(%(command)s::text IS NULL OR strpos(lower(one->>'command'), lower(%(command)s)) > 0)
    AND (%(file)s::text IS NULL OR EXISTS (
         SELECT 1 FROM jsonb_array_elements(one->'files') AS file
         WHERE strpos(lower(file->>'path'), lower(%(file)s)) > 0))
    AND (%(ending)s::text IS NULL OR one->>'ending' = %(ending)s)"""


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


QUERY = ListQuery(told_of_calls("worked", "commands", _WANTED), _ran)
