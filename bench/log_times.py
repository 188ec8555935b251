"""When each event was stored, by the log's own clock (JetStream's time stamps, in microseconds)."""

from datetime import datetime

import msgspec
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, DeliverPolicy

from agent_contracts.subjects import LOG_STREAM

_SILENCE_S = 10.0


class Stored(msgspec.Struct, frozen=True):
    """One event: its place, what its subject says after the session's id, and when it was stored."""

    sequence: int
    session_id: str
    rest: str
    at: datetime
    data: bytes

    def is_decision(self, kind: str) -> bool:
        """Whether it is this decision of the engine's."""
        return self.rest.split(".", 2)[:2] == ["ev", kind]


async def stored_events(log: JetStreamContext, subject: str, after: int = 0) -> list[Stored]:
    """Every event on `subject` now, after a sequence, in order."""
    subscription = await log.subscribe(
        subject,
        stream=LOG_STREAM,
        ordered_consumer=True,
        config=ConsumerConfig(deliver_policy=DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=after + 1),
    )
    found: list[Stored] = []
    try:
        info = await subscription.consumer_info()
        left = (info.num_pending or 0) + (info.delivered.consumer_seq if info.delivered else 0)
        while len(found) < left:
            message = await subscription.next_msg(_SILENCE_S)
            _, _, _, session_id, rest = message.subject.split(".", 4)
            about = message.metadata
            found.append(Stored(about.sequence.stream, session_id, rest, about.timestamp, message.data))
    finally:
        await subscription.unsubscribe()
    return found


def milliseconds(earlier: Stored, later: Stored) -> float:
    """Between two events."""
    return (later.at - earlier.at).total_seconds() * 1000
