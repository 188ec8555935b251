"""The write log of one agent's database."""

from collections.abc import AsyncIterator

from agent_contracts.entities.database_events import DatabaseEvent, DatabaseRestored
from agent_contracts.errors import LogCorrupt, Permanent, Rejected
from agent_contracts.ids import AgentId
from agent_contracts.log.record.codec import RecordedEvent, type_of
from agent_contracts.log.record.records import Expect, SkippedMessage, event_of, read
from agent_contracts.log.subjects import database_subject
from agent_platform.entities.entity import EntityWriter
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock
from tool_runner.agent_db.limits import WRITE_BYTES

_RESTORED = type_of(DatabaseRestored)


class WriteLog:
    """Reads and appends events of `agt.<aid>.db`; each says which one it follows (`prev`)."""

    def __init__(self, log: Log, clock: Clock, source: str, agent_id: AgentId) -> None:
        self._log = log
        self._clock = clock
        self._source = source
        self._agent_id = agent_id
        self._subject = database_subject(agent_id)

    async def last_sequence(self) -> int:
        """The sequence of what stands there last, event or not; 0 for nothing. Strongly consistent."""
        last = await self._log.last(self._subject)
        return last.sequence if last else 0

    async def read(
        self, *, after: int, up_to: int | None = None
    ) -> AsyncIterator[RecordedEvent[DatabaseEvent] | SkippedMessage]:
        """What stands after `after`, itself one of them or 0: events, and what is none, which writes follow
        all the same. Raises `LogCorrupt` at a hole."""
        before = after
        async for message in self._log.read(self._subject, after=after, up_to=up_to):
            found = read(message)
            if isinstance(found, RecordedEvent) and (found.envelope.prev or 0) != before:
                raise LogCorrupt(
                    f"{self._subject}: event {message.sequence} follows {found.envelope.prev}, "
                    f"but the one before it is {before}"
                )
            before = message.sequence
            yield found

    async def last_restore(self, *, after: int, up_to: int) -> tuple[int, DatabaseRestored] | None:
        """The last restoring event, and its sequence."""
        found: tuple[int, DatabaseRestored] | None = None
        async for message in self._log.read(self._subject, after=after, up_to=up_to):
            if message.event_type == _RESTORED:
                recorded = event_of(message)
                if recorded is not None:
                    found = recorded.sequence, recorded.event
        return found

    async def find(self, event_id: str, *, since: int) -> RecordedEvent[DatabaseEvent] | None:
        """The event of this id after event `since` of the whole log."""
        async for message in self._log.read(self._subject, after=since):
            recorded = event_of(message) if message.event_id == event_id else None
            if recorded is not None:
                return recorded
        return None

    async def append(self, event: DatabaseEvent, writer: EntityWriter, position: int) -> int:
        """Append behind the event at `position`; the sequence.

        Raises `Conflict` if another is there, `Rejected` of kind `too_large`, `Permanent` where the same
        write was made before `position`, `Transient` when the log can't be reached: then whether it was
        appended is open.
        """
        origin = Origin(
            self._source, writer.actor, writer.since or None, prev=position, traceparent=writer.traceparent
        )
        message, _ = event_message(event, self._subject, origin, self._clock, writer.id)
        if len(message.data) > WRITE_BYTES:
            raise Rejected(
                f"statement and parameters have {len(message.data)} bytes; a write may have {WRITE_BYTES}",
                kind="too_large",
            )
        sequence = await self._log.append(message, Expect(self._subject, position))
        if sequence <= position:
            raise Permanent(
                f"the write {writer.id} was made before, as event {sequence}: "
                "a repeated call must write in the same order",
                kind="write_id_reused",
            )
        return sequence
