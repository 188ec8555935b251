"""What is kept of a message that could not be handled."""

import msgspec

from agent_contracts.log.address import Address
from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.record.records import NewMessage, StoredMessage
from agent_contracts.log.subjects import DLQ_STREAM, dead_letter_subject
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.errors import ApiError
from agent_platform.process.clock import SystemClock, rfc3339
from agent_platform.secrecy.failure_text import failure_text

TIME = "Foldline-Time"


class DeadLetterRecord(msgspec.Struct, frozen=True):
    """A message that a consumer gave up, and why. The message itself stays in its stream under `sequence`.

    `part`: which of a record's events was, if it has several.
    """

    stream: str
    consumer: str
    sequence: int
    subject: str
    reason: str
    attempts: int
    part: int | None = None

    @property
    def address(self) -> Address:
        """Where it stands in its stream."""
        return Address(self.sequence, self.part)


class StoredLetter(msgspec.Struct, frozen=True):
    """A dead letter, its own number, by which people name it, and when it was written (RFC 3339)."""

    number: int
    letter: DeadLetterRecord
    at: str | None


class LetterPage(msgspec.Struct, frozen=True):
    """Letters, newest first; `before` names the page of older ones, if there are any. `total` counts all."""

    letters: list[StoredLetter]
    total: int
    before: int | None


class DeadLetterStore:
    """Writes dead letters. One message of one consumer is written once, though it may be given up twice."""

    def __init__(self, connection: NatsConnection) -> None:
        self._connection = connection
        self._log = JetStreamLog(connection, stream=DLQ_STREAM)

    async def put(
        self, stream: str, consumer: str, message: StoredMessage, reason: str, attempts: int
    ) -> None:
        """Set the message aside."""
        letter = DeadLetterRecord(
            stream, consumer, message.sequence, message.subject, reason, attempts, message.address.part
        )
        await self._log.append(letter_message(letter))

    async def all(self) -> list[StoredLetter]:
        """Every letter, oldest first; one that can't be read says so as its reason."""
        return [_stored(message) async for message in self._log.read("dlq.>")]

    async def page(self, before: int | None, limit: int) -> LetterPage:
        """The newest letters, or those before letter `before`. Of thousands no more are read than are asked
        for, but for the gaps that discarded ones leave."""
        state = (await self._connection.api(f"STREAM.INFO.{DLQ_STREAM}"))["state"]
        last = state["last_seq"] if before is None else min(before - 1, state["last_seq"])
        found: list[StoredMessage] = []
        width, end = limit + 1, last
        while len(found) <= limit and end >= max(state["first_seq"], 1):
            start = max(end - width, 0)
            found[:0] = [one async for one in self._log.read("dlq.>", after=start, up_to=end)]
            width, end = 2 * width, start
        newest = [_stored(one) for one in found[: -limit - 1 : -1]]
        more = len(found) > limit
        return LetterPage(newest, state["messages"], newest[-1].number if more else None)

    async def find(self, number: int) -> StoredLetter | None:
        """One letter."""
        message = await self._log.get(number)
        return None if message is None else _stored(message)

    async def discard(self, number: int) -> None:
        """Forget a letter; no word is lost of the message that it is about."""
        try:
            await self._connection.api(f"STREAM.MSG.DELETE.{DLQ_STREAM}", {"seq": number, "no_erase": False})
        except ApiError as error:
            raise error.as_failure(f"dead letter {number}") from error


def letter_message(letter: DeadLetterRecord) -> NewMessage:
    """The letter as it is appended to `DLQ`: repeated within a day, it is there once."""
    headers = {
        MESSAGE_ID: f"{letter.stream}:{letter.consumer}:{letter.address}",
        TIME: rfc3339(SystemClock().now()),
    }
    subject = dead_letter_subject(letter.stream, letter.consumer)
    told = msgspec.structs.replace(letter, reason=failure_text(letter.reason))
    return NewMessage(subject, msgspec.json.encode(told), headers)


def _stored(message: StoredMessage) -> StoredLetter:
    at = message.headers.get(TIME)
    try:
        return StoredLetter(message.sequence, msgspec.json.decode(message.data, type=DeadLetterRecord), at)
    except msgspec.DecodeError as error:
        reason = f"this dead letter can't be read: {error}"
        return StoredLetter(message.sequence, DeadLetterRecord("", "", 0, message.subject, reason, 0), at)
