"""What left the machine in the name of agents' calls: each request, and what became of it."""

from typing import Any

import msgspec

from agent_contracts.api.egress import EgressPage, EgressRecord
from agent_contracts.sent import EgressVerdict
from gateway.queries import cursors
from gateway.queries.cursors import Cursor
from gateway.queries.database import ProjectionSnapshot, Row
from gateway.queries.told_of_calls import of_call, told_of_calls

_WANTED = """(%(host)s::text IS NULL OR one->>'host' = %(host)s
         OR right(one->>'host', length(%(host)s) + 1) = '.' || %(host)s)
    AND (%(verdict)s::text IS NULL OR one->>'verdict' = %(verdict)s)"""
_PAGE = told_of_calls("sent", "requests", _WANTED)


class EgressQuery(msgspec.Struct, frozen=True):
    """Which requests; None: any. `host` stands for the names below it too."""

    agent_id: str | None = None
    session_id: str | None = None
    host: str | None = None
    verdict: EgressVerdict | None = None


async def page(
    snapshot: ProjectionSnapshot, wanted: EgressQuery, after: Cursor | None, limit: int
) -> EgressPage:
    """The newest `limit` that come after the cursor."""
    rows, next_cursor = await cursors.page(
        snapshot, _PAGE, after, limit, ("at", "key"), **msgspec.structs.asdict(wanted)
    )
    return EgressPage(requests=[_left(row) for row in rows], next_cursor=next_cursor)


def _left(row: Row) -> EgressRecord:
    request: dict[str, Any] = {"bytes_out": 0, "bytes_in": 0, "status": None, "secrets": [], **row["one"]}
    return msgspec.convert({**of_call(row), **request}, EgressRecord)
