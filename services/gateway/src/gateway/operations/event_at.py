"""One event of the log, by its address; and the call that it is about."""

from agent_contracts.ids import CallId
from agent_contracts.log.address import Address
from agent_contracts.log.record.records import StoredMessage, event_of
from agent_platform.log.port import Log


async def event_at(log: Log, address: Address) -> StoredMessage | None:
    """The event; of a record that is named alone, its last one. None if it doesn't exist."""
    if address.sequence < 1:
        return None  # the log begins at 1, and NATS has no answer to a request for 0
    record = await log.record(address.sequence)
    if address.part is None:
        return record[-1] if record else None
    return next((one for one in record if one.parts > 1 and one.part == address.part), None)


async def call_at(log: Log, address: Address) -> CallId | None:
    """The call that the event there is about; None where it is about none, or there is no event."""
    recorded = event_of(await event_at(log, address))
    return None if recorded is None else getattr(recorded.event, "call_id", None)
