"""The log: append with an expectation, read, follow, and read the last message of a subject."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from agent_contracts.log.address import Address
from agent_contracts.log.codec import RecordedEvent
from agent_contracts.log.envelope import MESSAGE_ID, Envelope

_KNOWN = "known"


class NewMessage(msgspec.Struct, frozen=True):
    """A message to append: one record. A `Nats-Msg-Id` header makes repeats of it harmless."""

    subject: str
    data: bytes
    headers: Mapping[str, str]


class StoredMessage(msgspec.Struct, frozen=True, dict=True):
    """An event as the log holds it; `sequence` is its record's place in the one order over all, from 1.

    Of a record that holds several events (`parts`), each is one of these: `part` says which, from 0,
    `subject` where it would stand by itself; the last one's is the record's own. `data` is the event's own
    JSON, beside its `envelope`. A message that can't be read as events is one of these as a whole: it has
    no envelope, and its `data` is all that it holds.
    """

    sequence: int
    subject: str
    data: bytes
    headers: Mapping[str, str]
    part: int = 0
    parts: int = 1
    envelope: Envelope | None = None

    @property
    def known(self) -> RecordedEvent[Any] | None:
        """The event in it, once somebody has read it: it is decoded and checked once (`decoding.decode`)."""
        return self.__dict__.get(_KNOWN)

    def remember(self, recorded: RecordedEvent[Any]) -> None:
        """This is the event in it. It is no part of what a message says, is compared by or sent as."""
        self.__dict__[_KNOWN] = recorded

    @property
    def event_id(self) -> str:
        """The event's id; that of the message, if it isn't an event."""
        return self.envelope.id if self.envelope is not None else self.headers.get(MESSAGE_ID, "")

    @property
    def event_type(self) -> str:
        """What its envelope says that it is; empty if it has none."""
        return self.envelope.type if self.envelope is not None else ""

    @property
    def address(self) -> Address:
        """Where the event stands."""
        return Address(self.sequence, self.part if self.parts > 1 else None)


class Expect(msgspec.Struct, frozen=True):
    """The last sequence among the messages that match `subject` (a wildcard is allowed); 0 means none yet."""

    subject: str
    last_sequence: int


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
