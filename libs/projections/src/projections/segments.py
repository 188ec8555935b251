"""Which parts of which sessions make up a conversation that was forked or went back."""

import msgspec

from projections.json_text import json_text
from projections.rows import JsonText
from projections.tables import SessionRow

Segment = tuple[str, int, int | None]
"""What a session said in `after` < sequence ≤ `up to` (None: no end): session id, after, up to."""

_segments = msgspec.json.Decoder(list[Segment])
_rollbacks = msgspec.json.Decoder(list[tuple[int, int]])


def conversation(session: SessionRow, at: int | None = None) -> list[Segment]:
    """The conversation as it was at event `at` (None: as it is now), oldest first."""
    own: list[Segment] = []
    for sequence, to in reversed(rollbacks_of(session)):
        if at is None or sequence <= at:
            _prepend(own, (session.session_id, sequence, at))
            at = to
    _prepend(own, (session.session_id, 0, at))
    began_elsewhere = session.forked_sequence is not None and (at is None or at >= session.forked_sequence)
    return [*(segments_of(session.inherited) if began_elsewhere else []), *own]


def rollbacks_of(session: SessionRow) -> list[tuple[int, int]]:
    """Sequence and destination of each rollback, oldest first."""
    return _rollbacks.decode(session.rollbacks)


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
