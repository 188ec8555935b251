"""One event of the log, by its address."""

from contextlib import aclosing

from agent_contracts.address import Address
from agent_contracts.subjects import parse_session_subject
from agent_platform.log.port import Log, StoredMessage


async def event_at(log: Log, address: Address) -> StoredMessage | None:
    """The event; of a record that is named alone, its last one. None if it isn't there."""
    last = await log.get(address.sequence)
    if last is None or address.part is None:
        return last
    if last.parts == 1 or last.parts <= address.part:
        return None
    record = parse_session_subject(last.subject).key.everything
    stored = log.read(record, after=address.complete, up_to=address.sequence)
    async with aclosing(stored) as events:  # type: ignore[type-var]
        async for event in events:
            if event.part == address.part:
                return event
    return None
