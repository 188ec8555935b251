"""What listeners get: what happened, and the same as a server-sent event, encoded once for all of them."""

import msgspec
from msgspec import UNSET, UnsetType

from agent_contracts.api.events import RowChange
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.questions.queries import Delta
from gateway.live.answers import LiveAnswer
from gateway.live.event_filter import EventFilter
from gateway.live.event_view import event_view, session_of
from gateway.live.row_views import ChangedRows

_encoder = msgspec.json.Encoder()


class LiveFrame(msgspec.Struct, frozen=True):
    """An event (`event_view` reads it), a piece of a streaming answer, or what such an answer came to before
    its listener joined."""

    what: StoredMessage | Delta | LiveAnswer
    sse: bytes


def event_frame(message: StoredMessage, rows: list[RowChange] | UnsetType | None = UNSET) -> LiveFrame:
    """An event. Its id is its address, so a client can go on after it, in the middle of a record too.

    One message has the event and the rows that it changed, if they are wanted: a client that was cut off has
    both or none. Rows that nobody can tell (None) are told as null, and clients read the session again.
    """
    data = _encoder.encode(event_view(message, rows))
    return LiveFrame(message, b"event: event\nid: %b\ndata: %b\n\n" % (str(message.address).encode(), data))


class EventFrames:
    """An event as different listeners want it, each form encoded once.

    `watched`: what it changed was looked up for those who watch its session, too. Whoever began to watch
    while it was looked up for others is told to read again.
    """

    def __init__(self, message: StoredMessage, changed: ChangedRows | None, *, watched: bool) -> None:
        self._message = message
        self._changed = changed or ChangedRows()
        self._watched = watched
        self._made: dict[tuple[bool, bool], LiveFrame] = {}

    def for_one(self, wanted: EventFilter) -> LiveFrame:
        """The frame for somebody who wants this."""
        form = (wanted.rows, session_of(self._message.subject) in wanted.streaming)
        if form not in self._made:
            self._made[form] = event_frame(self._message, self._rows(*form))
        return self._made[form]

    def _rows(self, wants_rows: bool, watches: bool) -> list[RowChange] | UnsetType | None:
        session = self._changed.session
        if not wants_rows:
            return UNSET
        if not self._changed.known or (watches and not self._watched):
            return None
        return [*([session] if session else []), *(self._changed.others if watches else ())]


def answer_frame(answer: LiveAnswer) -> LiveFrame:
    """What an answer came to so far, without an id."""
    return LiveFrame(answer, b"event: answer\ndata: %b\n\n" % _encoder.encode(answer))


def delta_frame(delta: Delta) -> LiveFrame:
    """A piece of an answer, without an id: there is nothing to resume after."""
    members = {name: getattr(delta, name) for name in delta.__struct_fields__}
    return LiveFrame(delta, b"event: delta\ndata: %b\n\n" % _encoder.encode(members))
