"""The messages of a session that no model call has read yet."""

from collections.abc import Sequence

import msgspec

from agent_contracts.log.address import at_place
from projections.json_text import json_text
from projections.project.effects import with_changes
from projections.project.event_place import EventPlace
from projections.session_tables import SessionRow
from session_domain.domain.state import Status

_places = msgspec.json.Decoder(list[int])


def joined_queue(at: EventPlace, session: SessionRow) -> SessionRow:
    """The session after it was told something here. One that has ended reads nothing any more."""
    if Status(session.status).is_terminal:
        return session
    return with_changes(session, queued=json_text([*_places.decode(session.queued), at.place]))


def left_queue(session: SessionRow, records: Sequence[int]) -> SessionRow:
    """The session after a model call has read what these records say, or it was refused."""
    if not records or session.queued == "[]":
        return session
    left = [place for place in _places.decode(session.queued) if at_place(place).sequence not in records]
    return with_changes(session, queued=json_text(left))
