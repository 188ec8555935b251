"""Handling a message once more that was given up."""

from agent_contracts.errors import Rejected
from agent_contracts.log.record.records import split
from agent_contracts.log.subjects import LOG_STREAM, TIMER_STREAM
from agent_contracts.questions.queries import HandleAgainCommand
from agent_platform.log.port import Log
from agent_platform.services.consuming.consumer import Delivery, Handler


class Redelivery:
    """Hands stored messages to the engine, as if they had just been delivered."""

    def __init__(self, events: Log, handle: Handler, schedule: Log, handle_timer: Handler) -> None:
        self._of = {LOG_STREAM: (events, handle), TIMER_STREAM: (schedule, handle_timer)}

    async def handle(self, command: HandleAgainCommand) -> None:
        """Handle it; what its handler raises says why that failed again. `Rejected(kind="not_found")` if it
        is not stored any more."""
        if command.stream not in self._of:
            raise Rejected(f"the engine handles nothing of the stream {command.stream}", kind="conflict")
        stored, handle = self._of[command.stream]
        at = command.sequence
        found = [record async for record in stored.records(">", after=at - 1, up_to=at)]
        if not found:
            raise Rejected(
                f"message {command.sequence} of {command.stream} is not stored any more", kind="not_found"
            )
        events = split(found[0]) if command.stream == LOG_STREAM else found
        await handle(Delivery(events[-1], 1, tuple(events[:-1])))
