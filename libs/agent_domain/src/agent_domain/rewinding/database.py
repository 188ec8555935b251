"""What was written to an agent's database since a moment, and taking it back."""

from typing import Protocol

import msgspec
import structlog

from agent_contracts.entities.database_events import DatabaseEvent, DatabaseRestored
from agent_contracts.entities.rewinds import DATABASE, Rewind, Why
from agent_contracts.errors import Conflict, Transient
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import Expect, event_of
from agent_contracts.log.subjects import database_subject
from agent_contracts.questions.user_questions import ReadDatabase
from agent_platform.entities.entity import EntityWriter
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.events import last_event
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock

log = structlog.get_logger()

_ATTEMPTS = 10


class DatabaseChanges(msgspec.Struct, frozen=True):
    """The write log's events since the moment, oldest first. `differs`: it doesn't hold what it held then.

    `last` is the sequence of what stands in it last, event or not.
    """

    events: tuple[RecordedEvent[DatabaseEvent], ...]
    last: int
    differs: bool

    def by_others(self, session_id: SessionId) -> int:
        """How many are not this session's."""
        return sum(one.event.session_id != session_id for one in self.events)


class InexactDatabase(msgspec.Struct, frozen=True):
    """The database of a moment can't be made again: neither a snapshot nor the statements since one lead
    there. `exact_from` is the first event as of which it can; None if there is none."""

    exact_from: int | None

    def __str__(self) -> str:
        known = (
            "No later moment before the newest write can be made again either"
            if self.exact_from is None
            else f"It can be made again as of event {self.exact_from} and later"
        )
        return (
            "The database of that moment can't be made again: a statement in between does not run as it did. "
            f"So it stays as it is now. {known}."
        )


class ReadsDatabases(Protocol):
    """Asks any tool runner about an agent's database."""

    async def read(self, asked: ReadDatabase) -> Json:
        """What it found. `Transient` where no runner is available."""
        ...


class DatabaseBack(msgspec.Struct, frozen=True):
    """What came of taking a database back: the event that did it, if one was needed, or why it stays."""

    sequence: int | None = None
    stays: Why | None = None


class DatabaseLog:
    """The write logs of agents' databases, for going back. Runners carry it out, each on its copy."""

    def __init__(self, log: Log, clock: Clock, source: str, runners: ReadsDatabases) -> None:
        self._log = log
        self._clock = clock
        self._source = source
        self._runners = runners

    async def inexact(self, agent_id: AgentId, point: int) -> InexactDatabase | None:
        """What is known against making the database again as it was at `point`: a runner tries it. None where
        nothing is, also while no runner is available."""
        try:
            answer = await self._runners.read(ReadDatabase(agent_id, at=point, exact=True))
        except Transient as failure:
            log.warning("database.not_tried", agent_id=agent_id, reason=failure.message)
            return None
        found = msgspec.convert(answer, InexactDatabase)
        return None if found.exact_from == point else found

    async def since(self, agent_id: AgentId, point: int) -> DatabaseChanges:
        """What was written to the agent's database after event `point` of the log."""
        subject = database_subject(agent_id)
        stored = [message async for message in self._log.read(subject, after=point)]
        found = tuple(recorded for recorded in map(event_of, stored) if recorded is not None)
        last = stored[-1].sequence if stored else point
        differs = await self._origin(subject, last) != await self._origin(subject, point)
        return DatabaseChanges(found, last, differs)

    async def go_back(
        self, agent_id: AgentId, wanted: Rewind, writer: EntityWriter, *, up_to: int
    ) -> DatabaseBack:
        """Make the database what it was after event `wanted.to`, unless somebody wrote to it after event
        `up_to`. A repeat of the same write does nothing."""
        if wanted.source is not None:
            return await self._copy(agent_id, wanted.source, wanted.to, writer)
        event = DatabaseRestored(wanted.to, wanted.session_id)
        for _ in range(_ATTEMPTS):
            changes = await self.since(agent_id, wanted.to)
            for one in changes.events:
                if one.envelope.id == writer.id:
                    return DatabaseBack(one.sequence)
            if not changes.differs:
                return DatabaseBack()
            if changes.last > up_to:
                return DatabaseBack(stays="changed_meanwhile")
            by_others = wanted.session_id is not None and changes.by_others(wanted.session_id)
            if by_others and not wanted.includes_others(DATABASE, DATABASE):
                return DatabaseBack(stays="changed_by_others")
            if await self.inexact(agent_id, wanted.to) is not None:  # it would be the end of the database
                return DatabaseBack(stays="inexact")
            try:
                return DatabaseBack(await self._append(agent_id, event, writer, changes.last))
            except Conflict:
                continue
        raise Transient("The agent's database is being written again and again")

    async def _copy(self, agent_id: AgentId, source: AgentId, to: int, writer: EntityWriter) -> DatabaseBack:
        """Make the database what the source's was, whatever was written to it. The source may have none."""
        if await self._log.last(database_subject(source)) is None:
            return DatabaseBack()
        event = DatabaseRestored(to, agent_id=source)
        for _ in range(_ATTEMPTS):
            last = await self._log.last(database_subject(agent_id))
            if last is not None and last.event_id == writer.id:
                return DatabaseBack(last.sequence)
            try:
                sequence = await self._append(agent_id, event, writer, last.sequence if last else 0)
                return DatabaseBack(sequence)
            except Conflict:
                continue
        raise Transient("The copy's database is being written again and again")

    async def _append(
        self, agent_id: AgentId, event: DatabaseRestored, writer: EntityWriter, last: int
    ) -> int:
        subject = database_subject(agent_id)
        origin = Origin(
            self._source, writer.actor, prev=last, traceparent=writer.traceparent, request=writer.request
        )
        message, _ = event_message(event, subject, origin, self._clock, writer.id)
        return await self._log.append(message, Expect(subject, last))

    async def _origin(self, subject: str, sequence: int) -> int:
        """The write whose outcome the database held after event `sequence`; 0: it was empty."""
        while sequence > 0:
            found = await last_event(self._log, subject, up_to=sequence)
            if found is None:
                return 0
            if not isinstance(found.event, DatabaseRestored) or found.event.agent_id is not None:
                return found.sequence
            sequence = min(found.event.to, found.sequence - 1)
        return 0
