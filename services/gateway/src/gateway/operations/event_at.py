"""One event of the log, by its address."""

from agent_contracts.log.address import Address
from agent_contracts.log.record.records import StoredMessage
from agent_platform.log.port import Log


async def event_at(log: Log, address: Address) -> StoredMessage | None:
    """The event; of a record that is named alone, its last one. None if it doesn't exist."""
    if address.sequence < 1:
        return None  # the log begins at 1, and NATS has no answer to a request for 0
    record = await log.record(address.sequence)
    if address.part is None:
        return record[-1] if record else None
    return next((one for one in record if one.parts > 1 and one.part == address.part), None)
