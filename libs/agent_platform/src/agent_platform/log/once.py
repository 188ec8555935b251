"""The one event that may stand on a subject, as a call's claim."""

from agent_contracts.errors import Conflict
from agent_contracts.log.record.records import Expect, NewMessage
from agent_platform.log.events import first_event
from agent_platform.log.port import Log


async def append_once(log: Log, message: NewMessage, *, after: int) -> None:
    """Append, unless its subject has an event after sequence `after`: `Conflict` then.

    A message that isn't an event, or is from before `after`, doesn't count. Raises what `Log.append` does.
    """
    last = 0
    while True:
        try:
            await log.append(message, Expect(message.subject, last))
            return
        except Conflict:
            if await first_event(log, message.subject, after=after) is not None:
                raise
            newest = await log.last(message.subject)
            if newest is None or newest.sequence == last:
                raise
            last = newest.sequence
