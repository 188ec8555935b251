"""The one event of its kind about a call: its claim, its result."""

from collections.abc import Callable
from typing import Any

from agent_contracts.errors import Conflict
from agent_contracts.log.record.codec import MESSAGE_ID, RecordedEvent
from agent_contracts.log.record.records import Expect, NewMessage, event_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_platform.log.port import Log

IsIt = Callable[[RecordedEvent[Any]], bool]


async def append_once(log: Log, message: NewMessage, session: SessionKey, is_it: IsIt, *, after: int) -> None:
    """Append, unless the session has such an event after sequence `after`: `Conflict` then.

    The message is expected to come right after what was seen of the session last, so of two who append at
    the same time one is refused, looks again, and finds the other's. Its own, of which it wasn't told that it
    was stored, is a success. What isn't an event, or is from before `after`, doesn't count. Raises what
    `Log.append` does.
    """
    last = after
    while True:
        try:
            await log.append(message, Expect(session.everything, last))
            return
        except Conflict as conflict:
            newest = last
            async for one in log.read(session.everything, after=last):
                newest = one.sequence
                recorded = event_of(one)
                if recorded is not None and is_it(recorded):
                    if recorded.envelope.id == message.headers.get(MESSAGE_ID):
                        return
                    raise Conflict("the session has that event already") from conflict
            if newest == last:
                raise
            last = newest
