"""Which parts of which sessions a conversation is made of, and what a rollback took out of it."""

from gateway.queries.database import Snapshot

_SEGMENTS = "SELECT segments FROM sessions WHERE session_id = %(session_id)s"

Segment = tuple[str, int, int | None]
"""What a session said in `after` < sequence ≤ `up to` (None: no end): session id, after, up to."""
Place = tuple[str, int]
"""Where something was said: session id, sequence."""


async def segments_of(snapshot: Snapshot, session_id: str) -> list[Segment]:
    """The parts of the session's conversation as it is now, in order; none of an unknown session."""
    found = await snapshot.rows(_SEGMENTS, session_id=session_id)
    return [tuple(part) for part in found[0]["segments"]] if found else []


def hidden_by(segments: list[Segment], session_id: str, place: Place) -> int | None:
    """The rollback (a sequence) that took this out of the conversation: the one that it goes on after."""
    owner, sequence = place
    if any(
        part == owner and after < sequence and (up_to is None or sequence <= up_to)
        for part, after, up_to in segments
    ):
        return None
    return min(
        (after for part, after, _ in segments if part == session_id and after >= sequence), default=None
    )
