"""A session as one file; see `agent_contracts.sessions.session_file`."""

from collections.abc import Mapping, Sequence

import msgspec
import structlog

from agent_contracts.entities.entity import EntityEvent, EntityKind, EntityWritten
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.files import FileValue, path_key
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.cloud_events import to_cloud_event
from agent_contracts.log.record.codec import RecordedEvent, encode
from agent_contracts.log.record.records import SkippedMessage, StoredMessage, decode, read
from agent_contracts.log.record.session_subjects import SessionKey, parse_session_subject
from agent_contracts.log.subjects import entity_filter
from agent_contracts.named_blobs import (
    context_named_by,
    files_named_by,
    parts_of_context,
    result_named_by,
    thinking_named_by,
)
from agent_contracts.session_events.decisions import ForkedFrom
from agent_contracts.session_events.inputs import Created
from agent_contracts.sessions import session_file
from agent_contracts.sessions.session_file import (
    FileBlob,
    FileEvent,
    FileHead,
    FileSkipped,
    SessionFile,
    WorkspaceEvent,
)
from agent_domain.files.workspaces import Workspaces
from agent_domain.sessions.directory import SessionDirectory
from agent_platform.log.blobs.port import LOST_BLOB, Blobs
from agent_platform.log.events import events
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock, rfc3339

log = structlog.get_logger()

_LARGEST_FILES = session_file.LARGEST_FILES
_CREATED = "a session is created once, and that comes first"


class Exports:
    """Writes sessions as files."""

    def __init__(self, log: Log, blobs: Blobs, clock: Clock, directory: SessionDirectory) -> None:
        self._log = log
        self._blobs = blobs
        self._clock = clock
        self._directory = directory
        self._workspaces = Workspaces(log)

    async def file(self, session_id: SessionId) -> SessionFile:
        """The session up to now, what its history begins with, and every blob that these name.

        With it what happened to the files of its workspace, and the bytes of all their versions and of what
        was sent with messages, as far as there is room (see `session_file`). Blobs that are missing or
        damaged here are `lost`: the file goes on without them.
        """
        session = await self._directory.find(session_id)
        now = await self._log.last_sequence()
        collected = _Collected([], [], [])
        await self._collect(session.agent_id, session_id, now, collected)
        stored = sorted(collected.stored, key=lambda message: message.address)
        owner = await self._workspaces.of(SessionKey(session.agent_id, session_id))
        workspace = owner.session_id or session_id
        head = FileHead(
            format=session_file.FORMAT,
            version=session_file.VERSION,
            session_id=session_id,
            agent_id=session.agent_id,
            sessions=tuple(collected.sessions),
            exported_at=rfc3339(self._clock.now()),
            workspace=None if workspace == session_id else workspace,
        )
        happened = tuple(_file_event(one) for one in stored)
        skipped = tuple(sorted(collected.skipped, key=lambda one: one.sequence))
        reading = _BlobReader(self._blobs)
        await _read_named(reading, stored)
        since = stored[0].sequence - 1 if workspace == session_id and stored else 0
        changes = await self._changes(SessionKey(session.agent_id, workspace), since, now)
        sizes = _sizes(changes)
        rest = _LARGEST_FILES
        for named in (sizes.last | _sent(stored), sizes.earlier):
            missing = {sha256: size for sha256, size in named.items() if sha256 not in reading.found}
            kept = fitting(missing, rest)
            rest -= sum(missing[sha256] for sha256 in kept)
            for sha256 in kept:
                await reading.get(sha256)
        found = tuple(FileBlob(sha256, data) for sha256, data in reading.found.items())
        about = tuple(_workspace_event(one) for one in changes)
        return SessionFile(head, happened, found, skipped, about, tuple(reading.lost))

    async def _changes(
        self, workspace: SessionKey, after: int, up_to: int
    ) -> list[RecordedEvent[EntityEvent]]:
        """What happened to the files of a workspace and to its paths, in order.

        A file is one of them until it is deleted or all sessions see it; that is the last that is told.
        """
        agent_id, owner = workspace.agent_id, workspace.session_id
        found: list[RecordedEvent[EntityEvent]] = []
        own: set[str] = set()
        files, paths = (entity_filter(agent_id, kind) for kind in (EntityKind.FILE, EntityKind.PATH))
        async for recorded in events(self._log.read(files, after=after, up_to=up_to)):
            event: EntityEvent = recorded.event
            value = _file_in(event)
            was = event.name in own
            if value is not None and value.session_id == owner:
                own.add(event.name)
            else:
                own.discard(event.name)
            if was or event.name in own:
                found.append(recorded)
        async for recorded in events(self._log.read(paths, after=after, up_to=up_to)):
            if recorded.event.name.startswith(path_key(owner, "")):
                found.append(recorded)
        return sorted(found, key=lambda one: one.sequence)

    async def _collect(
        self, agent_id: AgentId, session_id: SessionId, up_to: int, into: "_Collected"
    ) -> None:
        """A session's events up to a sequence, after those of the sessions that its history begins with.

        Of what is skipped, that it was there and why.
        """
        origin: ForkedFrom | None = None
        begun = False
        async for message in self._log.read(SessionKey(agent_id, session_id).everything, up_to=up_to):
            found = read(message)
            if isinstance(found, SkippedMessage) or begun is isinstance(found.event, Created):
                problem = found.problem if isinstance(found, SkippedMessage) else _CREATED
                into.skipped.append(FileSkipped(message.sequence, session_id, problem))
                continue
            begun = True
            into.stored.append(message)
            if isinstance(found.event, ForkedFrom):
                origin = found.event
        if origin is not None:
            await self._collect(origin.agent_id, origin.session_id, origin.at, into)
        into.sessions.append(session_id)


class _BlobReader:
    """Reads blobs, each once; those that are gone are `lost`."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self.found: dict[str, bytes] = {}
        self.lost: dict[str, None] = {}

    async def get(self, sha256: str) -> bytes | None:
        """The bytes; None if they are missing or damaged."""
        if sha256 in self.lost:
            return None
        if sha256 not in self.found:
            try:
                self.found[sha256] = await self._blobs.get(sha256)
            except (Rejected, Permanent) as failure:
                if failure.kind not in LOST_BLOB:
                    raise
                log.warning("export.blob_lost", sha256=sha256, reason=failure.message)
                self.lost[sha256] = None
                return None
        return self.found[sha256]


async def _read_named(reading: _BlobReader, stored: Sequence[StoredMessage]) -> None:
    """What models saw, whole results and thinking."""
    for message in stored:
        event = decode(message).event
        if (context := context_named_by(event)) is not None:
            data = await reading.get(context)
            for part in parts_of_context(data) if data is not None else ():
                await reading.get(part)
        for whole in (result_named_by(event), thinking_named_by(event)):
            if whole is not None:
                await reading.get(whole)


def fitting(sizes: Mapping[str, int], most: int) -> list[str]:
    """Of these blobs as many as fit into so many bytes, the smallest first."""
    found: list[str] = []
    for sha256, size in sorted(sizes.items(), key=lambda one: (one[1], one[0])):
        most -= size
        if most < 0:
            break
        found.append(sha256)
    return found


def _sent(stored: list[StoredMessage]) -> dict[str, int]:
    """The blobs of what was sent with messages and shown with results, and their sizes."""
    found: dict[str, int] = {}
    for message in stored:
        found |= files_named_by(decode(message).event)
    return found


class _Sizes(msgspec.Struct, frozen=True):
    """Bytes of blobs: of what the files of a workspace are at the end, and of what they were before that."""

    last: dict[str, int]
    earlier: dict[str, int]


def _sizes(changes: Sequence[RecordedEvent[EntityEvent]]) -> _Sizes:
    last: dict[str, FileValue] = {}
    every: dict[str, int] = {}
    for one in changes:
        value = _file_in(one.event)
        if value is None or value.session_id is None:
            if one.event.kind is EntityKind.FILE:
                last.pop(one.event.name, None)
            continue
        last[one.event.name] = value
        every[value.blob] = value.size
    return _Sizes({one.blob: one.size for one in last.values()}, every)


def _file_in(event: EntityEvent) -> FileValue | None:
    """What a file is after an event; None if it is gone, or the event is of a path."""
    if not isinstance(event, EntityWritten) or event.kind is not EntityKind.FILE:
        return None
    return msgspec.convert(event.value, FileValue)


def _workspace_event(recorded: RecordedEvent[EntityEvent]) -> WorkspaceEvent:
    attributes = to_cloud_event(recorded.envelope, recorded.event.name)
    return WorkspaceEvent(recorded.sequence, recorded.subject, attributes, encode(recorded.event).decode())


class _Collected(msgspec.Struct):
    """What was found so far: events, what is none, and the sessions whose they are, each after those it
    begins with."""

    stored: list[StoredMessage]
    skipped: list[FileSkipped]
    sessions: list[SessionId]


def _file_event(message: StoredMessage) -> FileEvent:
    assert message.envelope is not None  # it was read as an event
    about = parse_session_subject(message.subject).key.session_id
    attributes = to_cloud_event(message.envelope, about)
    data = message.data.decode()
    return FileEvent(message.sequence, message.subject, attributes, data, message.part, message.parts)
