"""What an event does: the session's row after it, and the other rows that it makes or changes."""

from typing import Any

import msgspec

from agent_contracts.thinking_choice import ThinkingChoice
from projections.json_text import json_text
from projections.project.batch_rows import PutRow
from projections.session_tables import SessionRow
from projections.table import JsonText

Effects = tuple[SessionRow, list[PutRow]]

NOBODY = JsonText("[]")
"""No calls."""


def with_changes(session: SessionRow, **changes: object) -> SessionRow:
    """The session with some columns changed."""
    return msgspec.structs.replace(session, **changes)


def thinking_columns(choice: ThinkingChoice | None) -> dict[str, Any]:
    """How much the model thinks, as the columns of sessions and of their stages."""
    choice = choice or ThinkingChoice()
    return {"thinking_effort": choice.effort, "thinking_budget": choice.budget}


def no_longer_waits_for(session: SessionRow, call_id: str) -> SessionRow:
    """The session without this call among those it waits for."""
    waits_for: list[str] = msgspec.json.decode(session.waiting_calls)
    return with_changes(session, waiting_calls=json_text([other for other in waits_for if other != call_id]))
