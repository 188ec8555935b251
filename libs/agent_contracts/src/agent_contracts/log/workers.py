"""What a process says of its work for a durable consumer, so that people see who lives."""

import msgspec

from agent_contracts.moments import milliseconds_between

BEAT_S = 10.0
"""How often it says so."""
SILENT_S = 30.0
"""One that was silent for so long is taken for dead."""
KEPT_S = 24 * 3600.0
"""How long the last word of a dead one is kept."""


class InHand(msgspec.Struct, frozen=True):
    """A message that is being handled, since a time (RFC 3339)."""

    sequence: int
    subject: str
    since: str


class WorkerStatus(msgspec.Struct, frozen=True):
    """One process at one consumer: how many messages it handles at a time, and which it has in hand."""

    consumer: str
    member: str
    host: str
    process: int
    started_at: str
    seen_at: str
    capacity: int
    in_hand: tuple[InHand, ...] = ()

    def lives(self, now: str) -> bool:
        """Whether it was heard lately."""
        return milliseconds_between(self.seen_at, now) <= SILENT_S * 1000
