"""What listeners get: what happened, and the same as a server-sent event, encoded once for all of them."""

import msgspec

from agent_contracts.questions.queries import Delta
from agent_platform.log.port import StoredMessage
from gateway.live.answers import LiveAnswer
from gateway.live.event_view import event_view

_encoder = msgspec.json.Encoder()


class Frame(msgspec.Struct, frozen=True):
    """An event (`event_view` reads it), a piece of a streaming answer, or what such an answer came to before
    its listener joined."""

    what: StoredMessage | Delta | LiveAnswer
    sse: bytes


def event_frame(message: StoredMessage) -> Frame:
    """An event. Its id is its address, so a client can go on after it, in the middle of a record too."""
    data = _encoder.encode(event_view(message))
    return Frame(message, b"event: event\nid: %b\ndata: %b\n\n" % (str(message.address).encode(), data))


def answer_frame(answer: LiveAnswer) -> Frame:
    """What an answer came to so far, without an id."""
    return Frame(answer, b"event: answer\ndata: %b\n\n" % _encoder.encode(answer))


def delta_frame(delta: Delta) -> Frame:
    """A piece of an answer, without an id: there is nothing to resume after."""
    members = {name: getattr(delta, name) for name in delta.__struct_fields__}
    return Frame(delta, b"event: delta\ndata: %b\n\n" % _encoder.encode(members))
