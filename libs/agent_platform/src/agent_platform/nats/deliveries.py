"""What JetStream tells about a delivery, in its reply subject."""

import msgspec
from nats.aio.msg import Msg

from agent_contracts.errors import Permanent


class DeliveredAt(msgspec.Struct, frozen=True):
    """Where a delivered message stands: in the stream, in its consumer, and which attempt it is, from 1."""

    stream_sequence: int
    consumer_sequence: int
    attempt: int


def delivered_at(message: Msg) -> DeliveredAt:
    """Read `$JS.ACK.<stream>.<consumer>.<attempt>.<stream seq>.<consumer seq>.<time>.<pending>`.

    Newer servers put domain and account hash after `ACK` and a random token at the end.
    """
    tokens = message.reply.split(".")
    if len(tokens) == 9:
        attempt, stream_sequence, consumer_sequence = tokens[4:7]
    elif len(tokens) >= 11:
        attempt, stream_sequence, consumer_sequence = tokens[6:9]
    else:
        raise Permanent(f"not a JetStream delivery: {message.reply!r}", kind="bad_delivery")
    return DeliveredAt(int(stream_sequence), int(consumer_sequence), int(attempt))
