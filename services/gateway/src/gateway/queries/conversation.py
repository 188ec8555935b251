"""Which parts of which sessions a conversation is made of."""

from gateway.queries.database import ProjectionSnapshot
from projections.segments import Segment

_SEGMENTS = "SELECT segments FROM sessions WHERE session_id = %(session_id)s"


async def segments_of(snapshot: ProjectionSnapshot, session_id: str) -> list[Segment]:
    """The parts of the session's conversation as it is now, in order; none of an unknown session."""
    found = await snapshot.rows(_SEGMENTS, session_id=session_id)
    return [tuple(part) for part in found[0]["segments"]] if found else []
