"""What fields of one name mean wherever they have no description of their own."""

from collections.abc import Mapping

FIELD_WORDS: Mapping[str, str] = {
    "session_id": "Id of the session that this belongs to. Read it at `GET /sessions/{session_id}`.",
}
"""By name: a field's own description, right below it in its struct, comes before this."""
