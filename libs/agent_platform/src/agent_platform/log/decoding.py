"""From a stored message to the event that it carries, or to why it carries none: one rule for everybody.

An event counts only if it can be read, fits the subject on which it stands, and was written by one who may
write there. Whatever doesn't is skipped by all who read the log, in the same way.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import msgspec

from agent_contracts.errors import Permanent
from agent_contracts.log import codec
from agent_contracts.log.codec import RecordedEvent
from agent_platform.log.fitting import check
from agent_platform.log.port import Log, StoredMessage
from agent_platform.log.records import parts


class SkippedMessage(msgspec.Struct, frozen=True):
    """A stored message that is not an event here. `problem` says why, for a person, `kind` for programs."""

    sequence: int
    subject: str
    kind: str
    problem: str


def decode(message: StoredMessage) -> RecordedEvent[Any]:
    """The event with its envelope and its place. `Permanent` for a message that must be skipped."""
    if message.known is not None:
        return message.known
    if message.envelope is None:
        message = parts(message)[-1]  # says what is wrong with it
        assert message.envelope is not None
    event = codec.decode(message.envelope.type, message.data)
    check(message.subject, message.envelope, event, message.part)
    recorded: RecordedEvent[Any] = RecordedEvent(
        message.sequence, message.subject, message.envelope, event, message.part, message.parts
    )
    message.remember(recorded)
    return recorded


def read(message: StoredMessage) -> RecordedEvent[Any] | SkippedMessage:
    """The event, or why there is none."""
    try:
        return decode(message)
    except Permanent as error:
        return SkippedMessage(message.sequence, message.subject, error.kind, error.message)


def event_of(message: StoredMessage | None) -> RecordedEvent[Any] | None:
    """The event, or None for a message that is skipped, or for none."""
    found = read(message) if message is not None else None
    return found if isinstance(found, RecordedEvent) else None


async def events(messages: AsyncIterator[StoredMessage]) -> AsyncGenerator[RecordedEvent[Any], None]:
    """The events among stored messages, in order."""
    async with aclosing(messages) as all_messages:  # type: ignore[type-var]
        async for message in all_messages:
            recorded = event_of(message)
            if recorded is not None:
                yield recorded


async def first_event(
    log: Log,
    subject: str,
    *,
    after: int,
    up_to: int | None = None,
    such_that: Callable[[RecordedEvent[Any]], bool] = lambda _: True,
) -> RecordedEvent[Any] | None:
    """The first event on a subject (wildcards allowed), `after` < sequence ≤ `up_to`; None if it has none."""
    async with aclosing(events(log.read(subject, after=after, up_to=up_to))) as found:
        async for recorded in found:
            if such_that(recorded):
                return recorded
    return None


async def last_event(log: Log, subject: str, *, up_to: int | None = None) -> RecordedEvent[Any] | None:
    """The last event on one subject (no wildcard), as of sequence `up_to`; None if it has none."""
    if up_to is None:
        message = await log.last(subject)
    else:
        message = next(iter(await log.last_of_each(subject, up_to=up_to)), None)
    return await event_at_or_before(log, message)


async def event_at_or_before(log: Log, message: StoredMessage | None) -> RecordedEvent[Any] | None:
    """The event that a message carries, else the last one before it on its subject."""
    while message is not None:
        recorded = event_of(message)
        if recorded is not None:
            return recorded
        message = next(iter(await log.last_of_each(message.subject, up_to=message.sequence - 1)), None)
    return None
