"""What the tables have of a session, once they have all that its log has.

A page or a live stream shows an event as soon as it is in the log, which is before it is in the tables.
"""

from typing import Any

from foldline.cli.client import Gateway


def newest(door: Gateway, session_id: str) -> int:
    """The number of the session's newest event."""
    return int(door.get(f"/sessions/{session_id}/state")["last_sequence"])


def listed(door: Gateway, session_id: str) -> dict[str, Any]:
    """The session as the list of sessions has it."""
    found: dict[str, Any] = door.get(f"/sessions/{session_id}", min_sequence=newest(door, session_id))
    return found


def messages(door: Gateway, session_id: str) -> list[dict[str, Any]]:
    """Its messages, in order."""
    page = door.get(f"/sessions/{session_id}/messages", min_sequence=newest(door, session_id))
    found: list[dict[str, Any]] = page["messages"]
    return found
