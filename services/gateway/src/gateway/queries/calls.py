"""Tool calls as the projections hold them."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from agent_contracts.api.calls import ToolCall
from agent_contracts.log.address import at_place
from agent_platform.process.clock import rfc3339
from gateway.queries.database import ProjectionSnapshot, Row
from gateway.queries.sources import stored_sources
from gateway.queries.unprojected import NOTHING_NEWER, UnprojectedRows
from projections.session_tables import OPEN_CALLS

_COLUMNS = """
    session_id, call_id, model_call_id, message_place, position, tool, arguments, as_sent, status, effect,
    runs_on, result, error, show, excerpt, outside, runner, accounting, requested_place, result_place,
    requested_at, finished_at
"""
ANSWER = "coalesce(m.text, (SELECT said.body->>'text' FROM events said WHERE said.place = m.result_place))"
"""What the model said in a row `m` of `model_calls`: most say so only in their event."""
_ONE = f"SELECT {_COLUMNS} FROM tool_calls WHERE session_id = %(session_id)s AND call_id = %(call_id)s"
_STATUSES = ", ".join(f"'{status}'" for status in sorted(OPEN_CALLS))
_OPEN = f"""
    SELECT {_COLUMNS} FROM tool_calls
    WHERE session_id = %(session_id)s AND status IN ({_STATUSES})
    ORDER BY message_place, position
"""
_OF_MESSAGES = f"""
    SELECT {_COLUMNS} FROM tool_calls
    WHERE session_id = ANY(%(sessions)s) AND message_place = ANY(%(messages)s)
    ORDER BY message_place, position
"""


async def one(
    snapshot: ProjectionSnapshot, session_id: str, call_id: str, newer: UnprojectedRows = NOTHING_NEWER
) -> ToolCall | None:
    """A call by its id."""
    if (newest := newer.calls.get((session_id, call_id))) is not None:
        return tool_call(newest)
    rows = await snapshot.rows(_ONE, session_id=session_id, call_id=call_id)
    return tool_call(rows[0]) if rows else None


async def open_calls(
    snapshot: ProjectionSnapshot, session_id: str, newer: UnprojectedRows = NOTHING_NEWER
) -> list[ToolCall]:
    """The calls of a session that have no ending yet, in order."""
    rows = await snapshot.rows(_OPEN, session_id=session_id)
    return [tool_call(row) for row in newer.over_open_calls(session_id, rows)]


async def of_messages(
    snapshot: ProjectionSnapshot,
    sessions: Sequence[str],
    messages: Sequence[int],
    newer: UnprojectedRows = NOTHING_NEWER,
) -> dict[int, list[ToolCall]]:
    """The calls that each of these messages, said in these sessions, asked for, in order."""
    calls: dict[int, list[ToolCall]] = {}
    rows = await snapshot.rows(_OF_MESSAGES, sessions=list(sessions), messages=list(messages))
    for row in newer.over_calls(rows):
        calls.setdefault(row["message_place"], []).append(tool_call(row))
    return calls


def tool_call(row: Row) -> ToolCall:
    """A row as the API shows it."""
    shown = {name: row[name] for name in ToolCall.__struct_fields__ if name in row}
    return msgspec.convert(
        {
            **shown,
            "as_sent": row["as_sent"] or {},
            "outside": stored_sources(row["outside"]),
            "request_address": address(row["requested_place"]),
            "result_address": address(row["result_place"]),
            "requested_at": when(row["requested_at"]),
            "finished_at": when(row["finished_at"]),
        },
        ToolCall,
    )


def address(place: int | None) -> str | None:
    """A place of the tables as the API names it."""
    return None if place is None else str(at_place(place))


def when(moment: datetime | None) -> str | None:
    """A time as the API writes it."""
    return None if moment is None else rfc3339(moment)
