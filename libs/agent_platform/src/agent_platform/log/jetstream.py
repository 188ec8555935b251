"""The log on JetStream."""

import json
import secrets
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import Any

from tenacity import AsyncRetrying, retry_if_exception, stop_after_delay, wait_exponential_jitter

from agent_contracts.errors import Conflict, Transient
from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.record.records import (
    Expect,
    NewMessage,
    StoredMessage,
    headers_of,
    id_by_expectation,
    matching,
    split,
)
from agent_contracts.log.subjects import LOG_STREAM
from agent_platform.log.direct import DirectReader
from agent_platform.log.tail import Tail
from agent_platform.nats.connection import NatsConnection, Request
from agent_platform.nats.errors import DUPLICATE_IN_BATCH, WRONG_LAST_SEQUENCE, ApiError
from agent_platform.observing.metrics import Metrics

_BATCH_ID = "Nats-Batch-Id"
_BATCH_SEQUENCE = "Nats-Batch-Sequence"
_BATCH_COMMIT = "Nats-Batch-Commit"


class JetStreamLog:
    """A `Log` over one stream.

    An append whose answer doesn't come in `timeout_s` is sent again with the same message id, for up to
    `patience_s` seconds in all; then it is `Transient`, and whether it was stored is open: repeat it with
    the same id. A message without an id is sent once, but for what is expected to come next in its session:
    that can't be stored twice. Where the server says that it can't store, as on a full
    disk, an append ends at once as `Transient(kind="storage")`, which says so. `metrics` times appends that
    are written, or waited for in vain, and counts conflicts.
    """

    def __init__(
        self,
        connection: NatsConnection,
        *,
        stream: str = LOG_STREAM,
        timeout_s: float = 2.0,
        patience_s: float = 10.0,
        metrics: Metrics | None = None,
    ) -> None:
        self._connection = connection
        self._stream = stream
        self._of_events = stream == LOG_STREAM  # the other streams hold plain messages
        self._timeout_s = timeout_s
        self._patience_s = patience_s
        self._direct = DirectReader(connection, stream)
        self._metrics = metrics

    async def append(self, message: NewMessage, expect: Expect | None = None) -> int:
        """Append durably; see the port. `Rejected(kind="not_permitted")` at once where we may not write."""
        with self._timed():
            return await self._append(message, expect)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        if self._metrics is None:
            yield
            return
        began = time.monotonic()
        with self._metrics.log_conflicts.count_exceptions(Conflict):
            try:
                yield
            except Transient as failure:
                if failure.kind == "timeout":  # the server is connected, and doesn't come to write
                    self._metrics.appended(time.monotonic() - began)
                raise
        self._metrics.appended(time.monotonic() - began)

    async def _append(self, message: NewMessage, expect: Expect | None) -> int:
        try:
            return await self._publish(message, expect)
        except Transient as error:
            if not _may_pass(error):
                raise
            await self._say_if_storage_fails(error)
            if MESSAGE_ID not in message.headers and _id_by(message, expect) is None:
                raise
        async for attempt in self._retrying():
            with attempt:
                sequence = await self._publish(message, expect)
        return sequence

    async def append_together(self, messages: Sequence[NewMessage], expects: Sequence[Expect | None]) -> int:
        """Append all or none; see the port. Repeats as `append` does if every message has an id."""
        with self._timed():
            return await self._append_together(messages, expects)

    async def _append_together(self, messages: Sequence[NewMessage], expects: Sequence[Expect | None]) -> int:
        if len(messages) != len(expects) or not messages:
            raise ValueError("one expectation (or None) per message, and at least one message")
        try:
            return await self._publish_batch(messages, expects)
        except Transient as error:
            if not _may_pass(error):
                raise
            await self._say_if_storage_fails(error)
            if any(MESSAGE_ID not in message.headers for message in messages):
                raise
        async for attempt in self._retrying():
            with attempt:
                sequence = await self._publish_batch(messages, expects)
        return sequence

    async def read(
        self, subject: str, *, after: int = 0, up_to: int | None = None
    ) -> AsyncGenerator[StoredMessage, None]:
        """What is stored now; see the port."""
        async with aclosing(self.records(subject, after=after, up_to=up_to)) as records:
            async for record in records:
                for event in self._events(record, (subject,)):
                    yield event

    def records(
        self, subject: str, *, after: int = 0, up_to: int | None = None
    ) -> AsyncGenerator[StoredMessage, None]:
        """What is stored now, as it is stored; see the port."""
        return self._direct.read(subject, after=after, up_to=up_to)

    async def tail(self, subjects: Sequence[str], *, after: int) -> AsyncGenerator[StoredMessage, None]:
        """What is stored and what comes; see the port."""
        async with aclosing(Tail(self._connection, self._stream, subjects, after).messages()) as records:
            async for record in records:
                self._arrived(record)
                for event in self._events(record, subjects):
                    yield event

    async def record(self, sequence: int) -> Sequence[StoredMessage]:
        """The events of one record."""
        found = await self._direct.get(sequence)
        return split(found) if found is not None else ()

    async def get(self, sequence: int) -> StoredMessage | None:
        """The last event of one record, or None."""
        return self._last_event(await self._direct.get(sequence))

    async def last(self, subject: str) -> StoredMessage | None:
        """The last event of the last record on one subject, or None."""
        return self._last_event(await self._direct.last(subject))

    async def last_of_each(
        self, *subjects: str, after: int = 0, up_to: int | None = None
    ) -> list[StoredMessage]:
        """The last event of every matching subject as of `up_to`, if after `after`, by sequence."""
        found = await self._direct.last_of_each(*subjects, after=after, up_to=up_to)
        return [split(record)[-1] for record in found] if self._of_events else found

    def _arrived(self, record: StoredMessage) -> None:
        """Told by `tail` of each record, whole."""

    def _events(self, record: StoredMessage, subjects: Sequence[str]) -> Sequence[StoredMessage]:
        return matching(split(record), subjects) if self._of_events else (record,)

    def _last_event(self, record: StoredMessage | None) -> StoredMessage | None:
        return record if record is None or not self._of_events else split(record)[-1]

    async def last_sequence(self) -> int:
        """The newest sequence; 0 when empty."""
        return await self._direct.last_sequence()

    async def _say_if_storage_fails(self, error: Transient) -> None:
        if error.kind != "disconnected":  # a server that is being started isn't well yet, and that passes
            await self._connection.check_storage()

    def _retrying(self) -> AsyncRetrying:
        return AsyncRetrying(
            retry=retry_if_exception(_may_pass),
            wait=wait_exponential_jitter(multiplier=0.05, max=1.0),
            stop=stop_after_delay(self._patience_s),
            reraise=True,
        )

    async def _publish(self, message: NewMessage, expect: Expect | None) -> int:
        headers = {**message.headers, **headers_of(message.subject, expect)}
        reply = await self._connection.request(
            message.subject, message.data, headers=headers, timeout=self._timeout_s
        )
        answer: dict[str, Any] = json.loads(reply.data)
        if "error" not in answer:
            return int(answer["seq"])  # `duplicate` or not: it is stored, and there
        error = ApiError.of(answer["error"])
        if error.err_code in WRONG_LAST_SEQUENCE:
            ours = await self._find(message, expect)
            if ours is not None:
                return ours
        raise error.as_failure(f"append to {message.subject}") from error

    async def _publish_batch(self, messages: Sequence[NewMessage], expects: Sequence[Expect | None]) -> int:
        batch = secrets.token_hex(16)
        requests = []
        for number, (message, expect) in enumerate(zip(messages, expects, strict=True), 1):
            headers = {
                **message.headers,
                **headers_of(message.subject, expect),
                _BATCH_ID: batch,
                _BATCH_SEQUENCE: str(number),
            }
            if number == len(messages):
                headers[_BATCH_COMMIT] = "1"
            requests.append(Request(message.subject, message.data, headers))
        replies = await self._connection.request_in_turn(requests, timeout=self._timeout_s)
        answers: list[dict[str, Any]] = [json.loads(reply.data) if reply.data else {} for reply in replies]
        refusals = (answer["error"] for answer in answers if "error" in answer)
        refused = next(refusals, None)  # those that follow say only that the batch is gone
        if refused is None:
            return int(answers[-1]["seq"])
        error = ApiError.of(refused)
        if error.err_code in (*WRONG_LAST_SEQUENCE, DUPLICATE_IN_BATCH):
            found = [await self._find(*pair) for pair in zip(messages, expects, strict=True)]
            ours = [sequence for sequence in found if sequence is not None]
            if len(ours) == len(messages):
                return ours[-1]
            raise Conflict(f"append together to {messages[0].subject} …: {error}") from error
        raise error.as_failure(f"append together to {messages[0].subject} …") from error

    async def _find(self, message: NewMessage, expect: Expect | None) -> int | None:
        """Where this very message is stored already, if an earlier attempt's answer was lost.

        Ours was appended after what it expected, on its own subject; others may have followed on any.
        """
        wanted = message.headers.get(MESSAGE_ID)
        by_expectation = _id_by(message, expect) if wanted is None else None
        if wanted is None and by_expectation is None:
            return None
        last = await self._direct.last(message.subject)
        if last is None:
            return None
        if wanted is None:
            ours = id_by_expectation(last.headers) == by_expectation and last.data == message.data
            return last.sequence if ours else None
        if last.headers.get(MESSAGE_ID) == wanted:
            return last.sequence
        if expect is None:
            return None
        earlier = self._direct.read(message.subject, after=expect.last_sequence, up_to=last.sequence)
        async with aclosing(earlier) as candidates:
            async for candidate in candidates:
                if candidate.headers.get(MESSAGE_ID) == wanted:
                    return candidate.sequence
        return None


def _id_by(message: NewMessage, expect: Expect | None) -> str | None:
    return id_by_expectation(headers_of(message.subject, expect))


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, Transient) and error.kind != "closed"
