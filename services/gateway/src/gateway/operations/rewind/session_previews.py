"""What a rewind of a session would do, before anybody asks for it."""

from collections import Counter
from collections.abc import Sequence

from agent_contracts.api.rewinds import (
    ChangedMessage,
    DatabaseChange,
    DatabaseWrite,
    FileChange,
    FileVersion,
    SessionChange,
    SessionRewindPreview,
    Value,
)
from agent_contracts.entities.database_events import DatabaseWritten
from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import SessionId
from agent_contracts.log.address import Address
from agent_contracts.session_events.decisions import Rewound
from agent_contracts.sessions.session_view import SessionView
from agent_domain.rewinding.changes import AgentChange, AgentChanges
from agent_domain.rewinding.database import DatabaseLog
from agent_domain.rewinding.files import can_go_back, file_value, holders_of
from agent_domain.rewinding.of_sessions import rewind_of
from agent_domain.sessions.directory import KnownSession, SessionDirectory
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Entity
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock
from gateway.operations.sessions.past_sessions import PastSessions

_BEGINNING = 300
"""Characters of a message, or of a statement."""
_LATEST = 100
"""Writes to the database that are shown."""


class SessionPreviews:
    """Shows what rewinds would do."""

    def __init__(  # noqa: PLR0913 — what a preview is made of
        self,
        log: Log,
        clock: Clock,
        directory: SessionDirectory,
        past: PastSessions,
        entities: Entities,
        database: DatabaseLog,
    ) -> None:
        self._log = log
        self._clock = clock
        self._directory = directory
        self._past = past
        self._entities = entities
        self._changes = AgentChanges(log, entities)
        self._database_log = database

    async def preview(self, session_id: SessionId, to: Address) -> SessionRewindPreview:
        """Each message and each change of the agent that a rewind to `to` would undo."""
        session = await self._directory.find(session_id)
        newest = await self._log.last_sequence()
        point = await self._past.safe_point(session_id, to)
        past = _messages(await self._past.state(session_id, Address(point), beginnings=_BEGINNING))
        now = _messages(await self._past.state(session_id, beginnings=_BEGINNING))
        wanted = rewind_of(session_id, newest, Rewound(point, newest, ("agent", "files")))
        assert wanted is not None
        found = await self._changes.since(session.agent_id, wanted, up_to=newest, now=self._clock.now())
        changes = [one for one in found if not one.is_undone]
        files = [one for one in changes if one.key.kind is EntityKind.FILE]
        return SessionRewindPreview(
            to=str(to),
            target_sequence=point,
            hidden=[message for place, message in now.items() if place not in past],
            shown_again=[message for place, message in past.items() if place not in now],
            agent=[_shown(one) for one in changes if one.key.kind is not EntityKind.FILE],
            files=await self._files(files),
            database=await self._database(session, point),
            log_sequence=newest,
        )

    async def _files(self, changes: Sequence[AgentChange]) -> list[FileChange]:
        free = [one for one in changes if not one.touched_by_others]
        keys = holders_of(free)
        holders = dict(zip(keys, await self._entities.all_as_of(keys, None), strict=True)) if keys else {}
        going = {one.key for one in can_go_back(free, holders)}
        by_path = sorted(changes, key=lambda one: (_path_of(one), one.key.name))
        return [_shown_file(one, path_taken=one in free and one.key not in going) for one in by_path]

    async def _database(self, session: KnownSession, point: int) -> DatabaseChange | None:
        changes = await self._database_log.since(session.agent_id, point)
        if not changes.differs:
            return None
        latest = [
            DatabaseWrite(
                sequence=one.sequence,
                session_id=one.event.session_id,
                sql=one.event.sql[:_BEGINNING] if isinstance(one.event, DatabaseWritten) else None,
            )
            for one in changes.events[-_LATEST:]
        ]
        by_others = changes.by_others(session.session_id)
        inexact = await self._database_log.inexact(session.agent_id, point)
        return DatabaseChange(
            writes=len(changes.events),
            by_others=by_others,
            latest=latest,
            inexact=None if inexact is None else str(inexact),
        )


def _messages(state: SessionView) -> dict[tuple[int, int], ChangedMessage]:
    """The conversation by the records of its events, and the how many-th message there each is; what waits to
    be read belongs to it."""
    found: dict[tuple[int, int], ChangedMessage] = {}
    seen: Counter[int] = Counter()
    for message in state.messages + state.queue:
        sequence = message.sequence
        found[(sequence, seen[sequence])] = ChangedMessage(
            sequence=sequence, role=message.role, text=message.text
        )
        seen[sequence] += 1
    return found


def _shown(change: AgentChange) -> SessionChange:
    return SessionChange(
        kind=change.key.kind.value,
        name=change.key.name,
        before=_value(change.before),
        now=_value(change.now),
        touched_by_others=change.touched_by_others,
        time_passed=change.time_passed,
    )


def _shown_file(change: AgentChange, *, path_taken: bool) -> FileChange:
    return FileChange(
        file_id=change.key.name,
        before=_file_version(change.before),
        now=_file_version(change.now),
        touched_by_others=change.touched_by_others,
        path_taken=path_taken,
    )


def _path_of(change: AgentChange) -> str:
    entity = change.now or change.before
    return file_value(entity).path if entity is not None else ""


def _file_version(entity: Entity | None) -> FileVersion | None:
    if entity is None:
        return None
    file = file_value(entity)
    return FileVersion(
        path=file.path,
        scope=file.scope,
        media_type=file.media_type,
        size=file.size,
        blob=file.blob,
        version=entity.version,
        sequence=entity.sequence,
        written_at=entity.time,
    )


def _value(entity: Entity | None) -> Value | None:
    if entity is None:
        return None
    return Value(value=entity.value, version=entity.version, sequence=entity.sequence, written_at=entity.time)
