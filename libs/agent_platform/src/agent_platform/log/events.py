"""The events on subjects of the log: in order, the first, the last."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import StoredMessage, event_of
from agent_platform.log.port import Log


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
