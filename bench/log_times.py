"""When each event was stored, by the log's own clock (JetStream's time stamps, in microseconds)."""

from datetime import datetime

import msgspec
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, DeliverPolicy

from agent_contracts.log.record.records import StoredMessage, split
from agent_contracts.log.subjects import LOG_STREAM

_SILENCE_S = 10.0


class Stored(msgspec.Struct, frozen=True):
    """One event: its record, what its subject says after the session's id, and when it was stored."""

    sequence: int
    session_id: str
    rest: str
    at: datetime
    data: bytes

    def is_decision(self, kind: str) -> bool:
        """Whether it is this decision of the engine's."""
        return self.rest.split(".", 2)[:2] == ["ev", kind]


async def stored_events(log: JetStreamContext, subject: str, after: int = 0) -> list[Stored]:
    """Every event of the records on `subject` now, after a sequence, in order."""
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
        for _ in range(left):
            message = await subscription.next_msg(_SILENCE_S)
            about = message.metadata
            record = StoredMessage(
                about.sequence.stream, message.subject, message.data, message.headers or {}
            )
            for event in split(record):
                _, _, _, session_id, rest = event.subject.split(".", 4)
                found.append(Stored(event.sequence, session_id, rest, about.timestamp, event.data))
    finally:
        await subscription.unsubscribe()
    return found


def milliseconds(earlier: Stored, later: Stored) -> float:
    """Between two events."""
    return (later.at - earlier.at).total_seconds() * 1000
