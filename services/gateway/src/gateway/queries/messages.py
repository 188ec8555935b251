"""Pages of a session's messages."""

from agent_platform.clock import rfc3339
from gateway.queries import calls
from gateway.queries.checkpoint import checkpoint
from gateway.queries.database import Row, Snapshot
from gateway.views import Message, Messages, ToolCall, Usage

_PAGE = """
    SELECT m.sequence, m.role, m.text, m.time, m.model_call_id, m.body,
           c.model AS call_model, c.usage AS call_usage
    FROM messages m LEFT JOIN model_calls c ON c.session_id = m.session_id AND c.call_id = m.model_call_id
    WHERE m.session_id = %(session_id)s AND (%(before)s::bigint IS NULL OR m.sequence < %(before)s)
    ORDER BY m.sequence DESC
    LIMIT %(limit)s
"""


async def page(snapshot: Snapshot, session_id: str, before: int | None, limit: int) -> Messages:
    """The newest `limit` messages before sequence `before`, oldest first."""
    rows = await snapshot.rows(_PAGE, session_id=session_id, before=before, limit=limit + 1)
    shown = rows[:limit][::-1]
    asked_for = await calls.of_messages(snapshot, session_id, [row["sequence"] for row in shown])
    return Messages(
        messages=[_message(row, asked_for.get(row["sequence"], [])) for row in shown],
        before=shown[0]["sequence"] if len(rows) > limit else None,
        sequence=await checkpoint(snapshot),
    )


def _message(row: Row, tool_calls: list[ToolCall]) -> Message:
    body = row["body"]
    usage = body.get("usage") or row["call_usage"]
    return Message(
        sequence=row["sequence"],
        role=row["role"],
        text=row["text"],
        time=rfc3339(row["time"]),
        model_call_id=row["model_call_id"],
        model=body.get("model") or row["call_model"],
        usage=Usage.model_validate(usage) if usage else None,
        files=body.get("files") or [],
        tool_calls=tool_calls,
        refused=body.get("refused"),
        error_kind=body.get("kind") if row["role"] == "error" else None,
    )
