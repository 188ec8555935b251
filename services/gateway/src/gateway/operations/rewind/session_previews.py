"""What a rewind of a session would do, before anybody asks for it."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from agent_contracts.entities.database_events import DatabaseWritten
from agent_contracts.entities.entity import EntityKind
from agent_contracts.files import FileScope
from agent_contracts.ids import SessionId
from agent_contracts.log.address import Address
from agent_contracts.session_events.decisions import Rewound
from agent_contracts.sessions.session_view import SessionView
from agent_domain.rewinding.changes import AgentChange, AgentChanges
from agent_domain.rewinding.database import DatabaseLog
from agent_domain.rewinding.files import can_go_back, file_value, holders_of
from agent_domain.rewinding.of_sessions import rewind_of
from agent_domain.sessions.directory import Directory, KnownSession
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Entity
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock
from gateway.operations.sessions.past import Past
from gateway.queries.view import View

_BEGINNING = 300
"""Characters of a message, or of a statement."""
_LATEST = 100
"""Writes to the database that are shown."""


class Value(View):
    """What one thing of the agent's was at one version; `sequence` is the event that made it."""

    value: Any
    version: int
    sequence: int
    time: str


class SessionChange(View):
    """One thing of the agent's that this session changed: `before`, and `now`; null: it doesn't exist.

    `touched_by_others`: another session or a person changed it too since then. `time_passed`: a reminder or a
    task whose time was still to come; it comes back as `before` says, over, and doesn't happen now.
    """

    kind: str
    name: str
    before: Value | None
    now: Value | None
    touched_by_others: bool
    time_passed: bool


class ChangedMessage(View):
    """A message that goes, or comes back; `text` is its beginning."""

    sequence: int
    role: Literal["user", "assistant"]
    text: str


class DatabaseWrite(View):
    """One write to the agent's database; `sql` is its beginning. One without is an earlier rewind."""

    sequence: int
    session_id: str | None
    sql: str | None


class DatabaseChange(View):
    """What a rewind of the database would undo: so many writes, of them `by_others` not this session's.

    `latest` are the last of them, oldest first. `inexact` says why the database of that moment can't be made
    again, and from which event on it can; null where it can, or where no runner is available to try.
    """

    writes: int
    by_others: int
    latest: list[DatabaseWrite]
    inexact: str | None


class FileVersion(View):
    """A version of a file; its bytes are the blob of that hash. `sequence` is the event that made it."""

    path: str
    scope: FileScope
    media_type: str
    size: int
    blob: str
    version: int
    sequence: int
    time: str


class FileChange(View):
    """A file that this session or a sub-session of it changed: `before`, and `now`; null: it doesn't exist.

    `touched_by_others`: another session or a person changed it too since then. `path_taken`: where it was is
    another file now that stays, so this one stays as it is, too.
    """

    file_id: str
    before: FileVersion | None
    now: FileVersion | None
    touched_by_others: bool
    path_taken: bool


class SessionRewindPreview(View):
    """What a rewind to `to` would do. `at` is where it really leads: never between a call and its results.

    `hidden` are the messages that would go, `shown_again` those that an earlier rewind had hidden;
    `agent` what this session changed of the agent's, `files` of its files; `database` null where it holds
    what it held.
    `log_sequence`: what came up to there is looked at.
    """

    to: str
    at: int
    hidden: list[ChangedMessage]
    shown_again: list[ChangedMessage]
    agent: list[SessionChange]
    files: list[FileChange]
    database: DatabaseChange | None
    log_sequence: int


class SessionPreviews:
    """Shows what rewinds would do."""

    def __init__(  # noqa: PLR0913 — what a preview is made of
        self,
        log: Log,
        clock: Clock,
        directory: Directory,
        past: Past,
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
            at=point,
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
        time=entity.time,
    )


def _value(entity: Entity | None) -> Value | None:
    if entity is None:
        return None
    return Value(value=entity.value, version=entity.version, sequence=entity.sequence, time=entity.time)
