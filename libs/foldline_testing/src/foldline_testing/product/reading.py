"""What the tables have of a session, once they have all that its log has.

A page or a live stream shows an event as soon as it is in the log, which is before it is in the tables.
"""

import time
from typing import Any

from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway

_PATIENCE_S = 60


def has_lists(door: Gateway) -> None:
    """Return when there are tables: right after a first start a gateway may be ready before them."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            door.get("/sessions", limit=1)
        except Rejected:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


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
    found: list[dict[str, Any]] = page["items"]
    return found
