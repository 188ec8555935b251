"""Which parts of which sessions make up a conversation that was forked or went back."""

from collections.abc import Iterable, Sequence

import msgspec

from projections.json_text import json_text
from projections.session_tables import SessionRow
from projections.table import JsonText

Segment = tuple[str, int, int | None]
"""What a session said in `after` < place ≤ `up to` (None: no end): session id, after, up to."""

Place = tuple[str, int]
"""Where something was said: session id, and its event's place (see `Address.place`)."""

_segments = msgspec.json.Decoder(list[Segment])
_rewinds = msgspec.json.Decoder(list[tuple[int, int]])


def is_in(segments: Iterable[Segment], place: Place) -> bool:
    """Whether this was said in one of the segments."""
    owner, where = place
    return any(
        part == owner and after < where and (up_to is None or where <= up_to)
        for part, after, up_to in segments
    )


def hidden_by(segments: Sequence[Segment], session_id: str, place: Place) -> int | None:
    """The rewind (its place) that took this out of the session's conversation; None if none did.

    It is the one that the conversation goes on after.
    """
    if is_in(segments, place):
        return None
    _, where = place
    return min((after for part, after, _ in segments if part == session_id and after >= where), default=None)


def conversation(session: SessionRow, at: int | None = None) -> list[Segment]:
    """The conversation as it was at place `at` (None: as it is now), oldest first."""
    own: list[Segment] = []
    for place, to in reversed(rewinds_of(session)):
        if at is None or place <= at:
            _prepend(own, (session.session_id, place, at))
            at = to
    _prepend(own, (session.session_id, 0, at))
    began_elsewhere = session.forked_place is not None and (at is None or at >= session.forked_place)
    return [*(segments_of(session.inherited) if began_elsewhere else []), *own]


def rewinds_of(session: SessionRow) -> list[tuple[int, int]]:
    """Place and destination of each rewind, oldest first."""
    return _rewinds.decode(session.rewinds)


def segments_of(column: JsonText) -> list[Segment]:
    """The segments that a column holds."""
    return _segments.decode(column)


def as_column(segments: list[Segment]) -> JsonText:
    """Segments as a column holds them."""
    return json_text([list(segment) for segment in segments])


def _prepend(segments: list[Segment], segment: Segment) -> None:
    _, after, up_to = segment
    if up_to is None or up_to > after:
        segments.insert(0, segment)
