"""The workspace of an imported session: what happened to its files, written anew among its events."""

import msgspec

from agent_contracts.entities.entity import EntityDeleted, EntityEvent, EntityKind, EntityWritten
from agent_contracts.errors import Conflict, Permanent, Rejected
from agent_contracts.files import FileScope, FileValue, PathValue, flaw_in_path, path_key
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.cloud_events import from_cloud_event
from agent_contracts.log.record.codec import Envelope
from agent_contracts.log.record.records import Expect, StoredMessage, carrying, decode, event_of
from agent_contracts.log.subjects import entity_subject
from agent_contracts.sessions.session_file import FileHead, WorkspaceEvent
from agent_domain.files.rules import file_id_of, is_file_id
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.port import Log
from agent_platform.secrecy.safe_events import safe_event
from session_engine.imports.events import ImportedNames, ImportedPlaces, sources_here


class WorkspaceChange(msgspec.Struct, frozen=True):
    """What became of a file (by its id) or of a path; None: it is gone from the workspace."""

    sequence: int
    name: str
    value: FileValue | PathValue | None
    kind: EntityKind
    version: int
    event: EntityEvent
    envelope: Envelope


def change_in(line: WorkspaceEvent, head: FileHead) -> WorkspaceChange:
    """What an event says. `Rejected` unless it is about a file or path of the session's workspace."""
    try:
        envelope = from_cloud_event(line.headers)
        stored = StoredMessage(line.sequence, line.subject, line.data.encode(), {}, envelope=envelope)
        event = decode(stored).event
    except Permanent as error:
        raise _refused(line, error.message) from error
    if not isinstance(event, EntityEvent) or event.kind not in (EntityKind.FILE, EntityKind.PATH):
        raise _refused(line, "it is not about a file")
    value: FileValue | PathValue | None = None
    version = 0
    name = event.name
    if isinstance(event, EntityWritten):
        version = event.version
        if event.kind is EntityKind.FILE:
            value = _in_workspace(line, msgspec.convert(event.value, FileValue), head)
        else:
            value = msgspec.convert(event.value, PathValue)
    if event.kind is EntityKind.PATH:
        name = event.name.removeprefix(path_key(head.workspace_of, ""))
        flaw = "it is of another workspace" if name == event.name else flaw_in_path(name)
        if flaw is not None:
            raise _refused(line, flaw)
    file_id = value.file_id if isinstance(value, PathValue) else name
    if (event.kind is EntityKind.FILE or value is not None) and not is_file_id(file_id):
        raise _refused(line, f"{file_id[:80]!r} is not the id of a file")
    return WorkspaceChange(line.sequence, name, value, event.kind, version, event, envelope)


def _in_workspace(line: WorkspaceEvent, value: FileValue, head: FileHead) -> FileValue | None:
    """None: it has left the workspace, since all sessions of the agent see it."""
    flaw = flaw_in_path(value.path)
    if flaw is not None:
        raise _refused(line, flaw)
    if value.scope is FileScope.AGENT and value.session_id is None:
        return None
    if value.scope is not FileScope.SESSION or value.session_id != head.workspace_of:
        raise _refused(line, "it is of another workspace")
    return value


class MissingVersions:
    """Of which versions the bytes are not here, found while the file is read."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._stored: dict[str, int | None] = {}
        self._versions: dict[str, dict[int, str]] = {}
        self._last: dict[str, int] = {}
        self.sequences: set[int] = set()

    async def look(self, line: WorkspaceEvent, change: WorkspaceChange) -> None:
        """`Rejected` for a version that says another size than its bytes have."""
        if change.kind is not EntityKind.FILE:
            return
        self._last[change.name] = change.sequence
        value = change.value
        if not isinstance(value, FileValue):
            return
        size = await self._size(value.blob)
        if size is None:
            self.sequences.add(change.sequence)
            self._versions.setdefault(change.name, {})[change.sequence] = (
                f"{value.path} (version {change.version})"
            )
        elif size != value.size:
            raise _refused(line, f"{value.path} has {size:,} bytes, not {value.size:,}")

    def gone(self) -> frozenset[str]:
        """The files that are not here at the end, since their bytes are not."""
        return frozenset(name for name, last in self._last.items() if last in self.sequences)

    def told(self) -> tuple[str, ...]:
        """What is left out, for people: a path, or an earlier version of the file there."""
        gone = self.gone()
        found = []
        for name, versions in self._versions.items():
            last = versions.get(self._last[name], "")
            found += [last.rpartition(" (")[0]] if name in gone else list(versions.values())
        return tuple(found)

    async def _size(self, sha256: str) -> int | None:
        if sha256 not in self._stored:
            try:
                self._stored[sha256] = await self._blobs.size(sha256)
            except Rejected:
                self._stored[sha256] = None
        return self._stored[sha256]


class WorkspaceImport:
    """Writes the changes of one import, each once, however often it is cut off.

    A file keeps its id; where that is taken, it gets another, and is found by the old one as a fork's copies
    are. One that is in this workspace already, by another import, stays as it is there.
    """

    def __init__(
        self, log: Log, digest: str, here: ImportedNames, head: FileHead, lacking: MissingVersions
    ) -> None:
        self._log = log
        self._digest = digest
        self._names = here
        self._head = head
        self._owner: SessionId = here.session(head.workspace_of)
        self._prefix = f"import.{digest[:16]}.{self._owner}.w"
        self._lacking = lacking.sequences
        self._gone = lacking.gone()
        self._ids: dict[str, str | None] = {}

    async def put(self, line: WorkspaceEvent, places: ImportedPlaces) -> bool:
        """Write it, unless it is there, or others have changed the same file or path here; whether it was
        written. After what comes before it, before what comes after it in the file."""
        change = change_in(line, self._head)
        found = await self._here(change)
        if found is None:
            return False
        name, value = found
        subject = entity_subject(self._names.agent_id, change.kind, name)
        while True:
            last = await self._log.last(subject)
            if last is not None and self._place(last) not in range(change.sequence):
                return False
            before = event_of(last)
            if value is None and (before is None or isinstance(before.event, EntityDeleted)):
                return False
            event = self._event(change, name, value, last.sequence if last else None)
            if isinstance(event, EntityWritten) and event.outside:
                outside = sources_here(event.outside, self._names, places)
                event = msgspec.structs.replace(event, outside=outside)
            envelope = self._envelope(change, places)
            _, body = safe_event(event)
            message = carrying(envelope, body, subject)
            try:
                await self._log.append(message, Expect(subject, last.sequence if last else 0))
            except Conflict:
                continue  # another engine was faster
            return True

    async def _here(self, change: WorkspaceChange) -> tuple[str, FileValue | PathValue | None] | None:
        """The name here and the value; None where it isn't to be written."""
        value = None if change.sequence in self._lacking else change.value
        if change.kind is EntityKind.FILE:
            file_id = await self._file_id(change.name)
            if file_id is None:
                return None
            if isinstance(value, FileValue):
                origin = value.forked_from if file_id == change.name else change.name
                made_from = self._ids.get(value.made_from or "") or value.made_from
                value = msgspec.structs.replace(
                    value, session_id=self._owner, forked_from=origin, made_from=made_from
                )
            return file_id, value
        if isinstance(value, PathValue):
            file_id = await self._file_id(value.file_id)
            if file_id is None:
                return None
            value = None if value.file_id in self._gone else PathValue(file_id)
        return path_key(self._owner, change.name), value

    async def _file_id(self, was: str) -> str | None:
        """Its id here; None for one that stays as it is."""
        if was not in self._ids:
            self._ids[was] = await self._free_id(was)
        return self._ids[was]

    async def _free_id(self, was: str) -> str | None:
        for file_id in (was, file_id_of(f"{self._owner}:{was}")):
            last = await self._log.last(entity_subject(self._names.agent_id, EntityKind.FILE, file_id))
            if last is None or self._place(last) >= 0:
                return file_id
            found = event_of(last)
            if found is not None and isinstance(found.event, EntityWritten):
                value = msgspec.convert(found.event.value, FileValue)
                if value.session_id == self._owner:
                    return None
        return None

    def _place(self, message: StoredMessage) -> int:
        """Where in the file a message stood that this import wrote; -1: it didn't write it."""
        prefix, _, place = message.event_id.rpartition(".")
        mine = prefix == self._prefix and message.envelope is not None
        return int(place) if mine and place.isdecimal() else -1

    def _event(
        self, change: WorkspaceChange, name: str, value: FileValue | PathValue | None, replaced: int | None
    ) -> EntityEvent:
        by, call_id = self._writer(change.event)
        was = change.event.outside
        if value is None:
            return EntityDeleted(change.kind, name, by, call_id, replaced, was)
        made = msgspec.to_builtins(value)
        return EntityWritten(change.kind, name, made, change.version, by, call_id, replaced, was)

    def _writer(self, event: EntityEvent) -> tuple[SessionId | None, CallId | None]:
        by = event.session_id
        return (None if by is None else self._names.session(by)), event.call_id

    def _envelope(self, change: WorkspaceChange, places: ImportedPlaces) -> Envelope:
        was = change.envelope
        return msgspec.structs.replace(
            was,
            id=f"{self._prefix}.{change.sequence}",
            prev=None,
            causation=None if was.causation is None else places.of(was.causation),
            request=None,
            imported=self._digest,
        )


def _refused(line: WorkspaceEvent, why: str) -> Rejected:
    return Rejected(f"event {line.sequence} can't be imported: {why}", kind="invalid_request")
