"""The log: append with an expectation, read, follow, and read the last message of a subject."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Protocol

from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage


class Log(Protocol):
    """One ordered, durable stream of messages."""

    async def append(self, message: NewMessage, expect: Expect | None = None) -> int:
        """Append durably and return the sequence.

        Raises `Conflict` if the expectation doesn't hold, unless the last message on the subject is this
        very one (same `Nats-Msg-Id`: an earlier attempt whose answer was lost), which counts as success.
        Raises `Rejected` where this service may not write there, `Transient` when the log can't be reached.
        """
        ...

    async def append_together(self, messages: Sequence[NewMessage], expects: Sequence[Expect | None]) -> int:
        """Append all or none (an atomic batch); the sequence of the last. Costs more than single appends."""
        ...

    def read(self, subject: str, *, after: int = 0, up_to: int | None = None) -> AsyncIterator[StoredMessage]:
        """What is stored now on `subject` (wildcards allowed), in order, `after` < sequence ≤ `up_to`.

        Records are found by their subject, which is that of their last event; of those of a record, the
        events whose subject matches.
        """
        ...

    def records(
        self, subject: str, *, after: int = 0, up_to: int | None = None
    ) -> AsyncIterator[StoredMessage]:
        """As `read`, each message whole, as it is stored."""
        ...

    def tail(self, subjects: Sequence[str], *, after: int) -> AsyncGenerator[StoredMessage, None]:
        """Everything on `subjects` with a sequence > `after`, then what comes: in order, no gap, no repeat.

        Survives reconnects. Ends only when the caller stops it or the log is closed.
        """
        ...

    async def record(self, sequence: int) -> Sequence[StoredMessage]:
        """The events of the record with this sequence, in order; none if there is none."""
        ...

    async def get(self, sequence: int) -> StoredMessage | None:
        """The last event of the record with this sequence, or None."""
        ...

    async def last(self, subject: str) -> StoredMessage | None:
        """The last event of the last record on one subject (no wildcard): strongly consistent."""
        ...

    async def last_of_each(
        self, *subjects: str, after: int = 0, up_to: int | None = None
    ) -> list[StoredMessage]:
        """The last message of every subject that matches any of `subjects` (wildcards allowed), as of
        sequence `up_to` (now, if None), in order: of those that came after sequence `after`."""
        ...

    async def last_sequence(self) -> int:
        """The sequence of the newest message of all; 0 when empty."""
        ...
