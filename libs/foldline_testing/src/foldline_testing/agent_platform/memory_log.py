"""The log in memory: the twin that tests use, held to the same contract suite as JetStream's."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from itertools import groupby

from agent_contracts.errors import Conflict, Rejected, Transient
from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.record.records import (
    Expect,
    NewMessage,
    StoredMessage,
    headers_of,
    matching,
    split,
    whole,
)
from agent_contracts.log.subjects import matches

MAX_PAYLOAD = 8 * 1024 * 1024
"""Bytes of body and headers that one message may have: what our servers are configured with."""


class MemoryLog:
    """A `Log` that lives as long as the object. Message ids are remembered for ever, not for an hour."""

    def __init__(self, *, max_payload: int = MAX_PAYLOAD) -> None:
        self._messages: dict[int, StoredMessage] = {}
        self._by_subject: dict[str, list[int]] = {}
        self._ids: dict[str, int] = {}
        self._last = 0
        self._max_payload = max_payload
        self._grown = asyncio.Event()
        self._closed = False

    async def append(self, message: NewMessage, expect: Expect | None = None) -> int:
        """Append; see the port. Never `Transient` but after `close`."""
        await asyncio.sleep(0)  # as with a server, others may come first
        self._check_open()
        self._check_size(message)
        known = self._ids.get(message.headers.get(MESSAGE_ID, ""))
        if known is not None:
            return known
        if expect is not None:
            self._check_expectation(expect)
        return self._store(message, expect)

    async def append_together(self, messages: Sequence[NewMessage], expects: Sequence[Expect | None]) -> int:
        """Append all or none; see the port."""
        await asyncio.sleep(0)
        self._check_open()
        for message in messages:
            self._check_size(message)
        known = [self._ids.get(message.headers.get(MESSAGE_ID, "")) for message in messages]
        stored = [sequence for sequence in known if sequence is not None]
        if stored and len(stored) == len(messages):
            return stored[-1]
        if stored:
            raise Conflict("some messages of the batch are in the log already, others are not")
        for expect in expects:
            if expect is not None:
                self._check_expectation(expect)
        return [self._store(*one) for one in zip(messages, expects, strict=True)][-1]

    async def read(
        self, subject: str, *, after: int = 0, up_to: int | None = None
    ) -> AsyncGenerator[StoredMessage, None]:
        """What is stored now; see the port."""
        async for record in self.records(subject, after=after, up_to=up_to):
            for event in matching(split(record), (subject,)):
                yield event

    async def records(
        self, subject: str, *, after: int = 0, up_to: int | None = None
    ) -> AsyncGenerator[StoredMessage, None]:
        """What is stored now, as it is stored; see the port."""
        end = self._last if up_to is None else min(up_to, self._last)
        for record in list(self._between((subject,), after, end)):
            yield record

    async def tail(self, subjects: Sequence[str], *, after: int) -> AsyncGenerator[StoredMessage, None]:
        """What is stored and what comes; see the port."""
        while not self._closed:
            grown = self._grown
            for record in list(self._between(subjects, after, self._last)):
                after = record.sequence
                for event in matching(split(record), subjects):
                    yield event
            if grown is self._grown:
                await grown.wait()

    async def record(self, sequence: int) -> Sequence[StoredMessage]:
        """The events of one record."""
        found = self._messages.get(sequence)
        return split(found) if found is not None else ()

    async def get(self, sequence: int) -> StoredMessage | None:
        """The last event of one record, or None."""
        record = self._messages.get(sequence)
        return split(record)[-1] if record is not None else None

    async def last(self, subject: str) -> StoredMessage | None:
        """The last event of the last record on one subject, or None."""
        sequences = self._by_subject.get(subject)
        return split(self._messages[sequences[-1]])[-1] if sequences else None

    async def last_of_each(
        self, *subjects: str, after: int = 0, up_to: int | None = None
    ) -> list[StoredMessage]:
        """The last event of every matching subject as of `up_to`, if after `after`, by sequence."""
        lasts = [
            max((sequence for sequence in sequences if up_to is None or sequence <= up_to), default=0)
            for name, sequences in self._by_subject.items()
            if any(matches(subject, name) for subject in subjects)
        ]
        return [split(self._messages[sequence])[-1] for sequence in sorted(lasts) if sequence > after]

    async def last_sequence(self) -> int:
        """The newest sequence; 0 when empty."""
        return self._last

    async def close(self) -> None:
        """End every tail; later appends are `Transient`."""
        self._closed = True
        self._wake()

    def hold(self, messages: Iterable[StoredMessage]) -> None:
        """Take in what another log held, each record at the sequence it had there; they come in order."""
        for sequence, events in groupby(messages, lambda message: message.sequence):
            if sequence <= self._last:
                raise ValueError(f"message {sequence} comes after {self._last}")
            self._last = sequence - 1
            self._store(whole(list(events)))

    def lose(self, sequence: int) -> None:
        """Take one message out, as a purge or a lost write would: it leaves a hole."""
        message = self._messages.pop(sequence)
        self._by_subject[message.subject].remove(sequence)
        if not self._by_subject[message.subject]:
            del self._by_subject[message.subject]

    def _between(self, subjects: Sequence[str], after: int, end: int) -> Iterator[StoredMessage]:
        chosen = {
            sequence
            for name, sequences in self._by_subject.items()
            if any(matches(pattern, name) for pattern in subjects)
            for sequence in sequences
            if after < sequence <= end
        }
        return (self._messages[sequence] for sequence in sorted(chosen))

    def _check_open(self) -> None:
        if self._closed:
            raise Transient("the log is closed", kind="closed")

    def _check_size(self, message: NewMessage) -> None:
        if len(message.data) > self._max_payload:
            raise Rejected(
                f"{len(message.data)} bytes: a message may have at most {self._max_payload}", kind="too_large"
            )

    def _check_expectation(self, expect: Expect) -> None:
        last = max(
            (sequences[-1] for name, sequences in self._by_subject.items() if matches(expect.subject, name)),
            default=0,
        )
        if last != expect.last_sequence:
            raise Conflict(f"{expect.subject}: expected last sequence {expect.last_sequence}, it is {last}")

    def _store(self, message: NewMessage, expect: Expect | None = None) -> int:
        self._last += 1
        headers = {**message.headers, **headers_of(message.subject, expect)}
        stored = StoredMessage(self._last, message.subject, message.data, headers)
        self._messages[self._last] = stored
        self._by_subject.setdefault(message.subject, []).append(self._last)
        message_id = message.headers.get(MESSAGE_ID)
        if message_id:
            self._ids[message_id] = self._last
        self._wake()
        return self._last

    def _wake(self) -> None:
        grown, self._grown = self._grown, asyncio.Event()
        grown.set()
