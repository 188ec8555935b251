"""A session as one file: its events and blobs, for bug reports and tests.

Lines of JSON (`application/x-ndjson`), each with a member `line` that says what it is:

- `head`, first: format, version, the session, and all sessions in the file: those whose beginning it goes
  back to by forks first, itself last. Of a session it was forked from, the file has what it refers to.
- `event`: one of the log, in order: sequence, subject, envelope as a CloudEvent's, body as text.
- `skipped`: that a message stood among them which isn't an event, and why; nothing of what it held.
- `workspace_event`: one of the log about a file, or the path of one, in the session's workspace. They stand
  among the events in the order of the log, so that the workspace can be seen as of each of these.
- `blob`: one that an event names (what a model saw, a large result, a version of a file), its bytes in
  base64. The bytes of files may be missing: there are `LARGEST_FILES` of them at most.
- `end`, last: how many of each, the SHA-256 of every byte before this line, and which blobs were lost
  before the session was exported.
"""

import hashlib
import heapq
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, BinaryIO

import msgspec

from agent_contracts.blob_ref import sha256_of
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.ids import AgentId, SessionId, check_id
from agent_contracts.json_lines import one_line
from agent_contracts.json_reader import JsonLimits, read_json
from agent_contracts.log.address import Address
from agent_contracts.log.record.session_subjects import parse_session_subject

FORMAT = "foldline-session"
VERSION = 1
MEDIA_TYPE = "application/x-ndjson"

LARGEST_FILES = 32_000_000
"""Bytes of files in one exported session. What the files are at the end goes before what they were earlier;
what is larger is left out, from the largest on."""
_EVENT = JsonLimits(size=16 * 1024 * 1024, depth=128, any_text=True)
"""What an event in a file may be; a body that comes in may be nested 100 deep, and stands within an event."""

_Count = Annotated[int, msgspec.Meta(ge=0)]


class FileHead(msgspec.Struct, frozen=True, tag_field="line", tag="head"):
    """What the file is. `exported_at` is RFC 3339. `workspace` is the session in whose workspace its files
    are, where that isn't itself: the one at the top of its tree."""

    format: str
    version: int
    session_id: SessionId
    agent_id: AgentId
    sessions: tuple[SessionId, ...]
    exported_at: str
    workspace: SessionId | None = None

    @property
    def workspace_of(self) -> SessionId:
        """In whose workspace its files are."""
        return self.workspace or self.session_id


class FileEvent(msgspec.Struct, frozen=True, tag_field="line", tag="event"):
    """One event as the log held it: `headers` are its envelope as a CloudEvent's, `data` is its body.

    `part` is its place, from 0, among the `parts` events that are this record of the log.
    """

    sequence: Annotated[int, msgspec.Meta(ge=1)]
    subject: str
    headers: dict[str, str]
    data: str
    part: _Count = 0
    parts: Annotated[int, msgspec.Meta(ge=1)] = 1

    @property
    def address(self) -> Address:
        """Where it stood."""
        return Address(self.sequence, self.part if self.parts > 1 else None)

    @property
    def session_id(self) -> SessionId:
        """Whose it is."""
        return parse_session_subject(self.subject).key.session_id


class FileSkipped(msgspec.Struct, frozen=True, tag_field="line", tag="skipped"):
    """A message of a session that isn't an event. Decisions after it say that they saw it."""

    sequence: Annotated[int, msgspec.Meta(ge=1)]
    session_id: SessionId
    problem: str


class FileBlob(msgspec.Struct, frozen=True, tag_field="line", tag="blob"):
    """One blob, under its SHA-256."""

    sha256: str
    data: bytes


class WorkspaceEvent(msgspec.Struct, frozen=True, tag_field="line", tag="workspace_event"):
    """One event about a file or a path, as the log held it; see `FileEvent`."""

    sequence: Annotated[int, msgspec.Meta(ge=1)]
    subject: str
    headers: dict[str, str]
    data: str

    @property
    def address(self) -> Address:
        """Where it stood."""
        return Address(self.sequence)


class End(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="line", tag="end"):
    """What the file must hold, so that a damaged one shows. `lost` are blobs that events name and the file
    lacks, since they were missing or damaged where the session was."""

    events: _Count
    blobs: _Count
    sha256: str
    skipped: _Count = 0
    workspace: _Count = 0
    lost: tuple[str, ...] = ()


Line = FileHead | FileEvent | FileSkipped | WorkspaceEvent | FileBlob | End
"""What stands on one line."""


class SessionFile(msgspec.Struct, frozen=True):
    """A whole file."""

    head: FileHead
    events: tuple[FileEvent, ...]
    blobs: tuple[FileBlob, ...] = ()
    skipped: tuple[FileSkipped, ...] = ()
    workspace: tuple[WorkspaceEvent, ...] = ()
    lost: tuple[str, ...] = ()


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Line)
_A_BLOB, _AN_END = b'{"line":"blob"', b'{"line":"end"'


def write(file: SessionFile) -> bytes:
    """The file's bytes."""
    both: tuple[Sequence[FileEvent | WorkspaceEvent], ...] = (file.events, file.workspace)
    happened = heapq.merge(*both, key=lambda one: one.address)
    content = b"".join(_lines([file.head, *happened, *file.skipped, *file.blobs]))
    counts = len(file.skipped), len(file.workspace)
    end = End(len(file.events), len(file.blobs), sha256_of(content), *counts, file.lost)
    return content + _line(end)


def read(data: bytes) -> SessionFile:
    """A file's content. `Rejected(kind="invalid_request")` if it is none, damaged, or of a newer version."""
    kept: list[Line] = []
    checked = _checked(io.BytesIO(data), kept.append)
    return SessionFile(
        checked.head,
        tuple(line for line in kept if isinstance(line, FileEvent)),
        tuple(line for line in kept if isinstance(line, FileBlob)),
        tuple(line for line in kept if isinstance(line, FileSkipped)),
        tuple(line for line in kept if isinstance(line, WorkspaceEvent)),
        checked.lost,
    )


class SessionFileSummary(msgspec.Struct, frozen=True):
    """What an open file holds: how many events and blobs, the bytes of events' bodies and of blobs, and which
    blobs it lacks since they were lost."""

    head: FileHead
    events: int
    blobs: int
    stored_bytes: int
    lost: tuple[str, ...] = ()


def check(data: BinaryIO) -> SessionFileSummary:
    """Read an open file from its beginning, line by line, and keep nothing of it.

    `Rejected` as `read`, and for an event that is nested deeper than what may be stored, or isn't JSON.
    """
    data.seek(0)
    return _checked(data, _check_nesting)


def without_blobs(data: BinaryIO) -> Iterator[bytes]:
    """The lines of an open file that was checked, as a file that lacks the blobs."""
    data.seek(0)
    digest = hashlib.sha256()
    for line in data:
        if line.startswith(_AN_END):
            end = read_line(line)
            assert isinstance(end, End)
            yield _line(End(end.events, 0, digest.hexdigest(), end.skipped, end.workspace, end.lost))
        elif not line.startswith(_A_BLOB):
            digest.update(line)
            yield line


def blobs_of(data: BinaryIO) -> Iterator[FileBlob]:
    """The blobs of an open file that was checked, one at a time."""
    data.seek(0)
    for line in data:
        if line.startswith(_A_BLOB) and isinstance(blob := read_line(line), FileBlob):
            yield blob


def _checked(data: BinaryIO, look: Callable[[Line], None]) -> SessionFileSummary:
    lines = _Lines(data)
    head = read_line(lines.next())
    if not isinstance(head, FileHead) or head.format != FORMAT:
        raise _refused("it is not an exported session")
    if head.version != VERSION:
        raise _refused(f"it is of version {head.version}; this Foldline reads version {VERSION}: update it")
    _check_head(head)
    before: FileEvent | WorkspaceEvent | None = None
    events = skipped = workspace = blobs = size = 0
    while True:
        digest = lines.sha256()
        line = read_line(lines.next())
        match line:
            case FileEvent():
                _check_event(head, before, line)
                before = line
                events += 1
                size += len(line.data)
            case FileSkipped():
                if line.session_id not in head.sessions:
                    raise _refused(f"message {line.sequence}, which was skipped, is of another session")
                skipped += 1
            case WorkspaceEvent():
                _check_place(before, line)
                before = line
                workspace += 1
                size += len(line.data)
            case FileBlob():
                _check_blob(line)
                blobs += 1
                size += len(line.data)
            case End() as end:
                break
            case FileHead():
                raise _refused("it has two heads")
        look(line)
    if lines.are_left():
        raise _refused("it goes on after its end")
    if digest != end.sha256:
        raise _refused("it is damaged: its content is not what its SHA-256 says")
    if (events, blobs, skipped, workspace) != (end.events, end.blobs, end.skipped, end.workspace):
        raise _refused("it doesn't hold as many events, blobs and skipped messages as it says")
    if _is_cut(before):
        raise _refused(f"record {before.sequence if before else 0} is not whole")
    return SessionFileSummary(head, events, blobs, size, end.lost)


def _check_nesting(line: Line) -> None:
    if isinstance(line, FileEvent | WorkspaceEvent):
        read_json(line.data, _EVENT, f"event {line.address}")


class _Lines:
    """The lines of a file, and the hash of those that were read."""

    def __init__(self, data: BinaryIO) -> None:
        self._data = data
        self._hash = hashlib.sha256()

    def are_left(self) -> bool:
        return bool(self._data.readline(1))

    def next(self) -> bytes:
        line = self._data.readline()
        if not line:
            raise _refused("it is not an exported session, or its end is missing")
        self._hash.update(line)
        return line

    def sha256(self) -> str:
        return self._hash.copy().hexdigest()


def _check_head(head: FileHead) -> None:
    for name in (head.agent_id, *head.sessions, head.workspace_of):
        check_id(name)
    if not head.sessions or head.sessions[-1] != head.session_id:
        raise _refused("its head doesn't name its session last")


def _check_event(head: FileHead, before: FileEvent | WorkspaceEvent | None, event: FileEvent) -> None:
    _check_place(before, event)
    try:
        session_id = event.session_id
    except Permanent as error:
        raise _refused(error.message) from error
    if session_id not in head.sessions:
        raise _refused(f"event {event.address} is of another session")


def _check_blob(blob: FileBlob) -> None:
    if sha256_of(blob.data) != blob.sha256:
        raise _refused(f"blob {blob.sha256[:80]!r} holds other bytes than its name says")


def _check_place(before: FileEvent | WorkspaceEvent | None, event: FileEvent | WorkspaceEvent) -> None:
    """Records come in order, and whole."""
    if isinstance(before, FileEvent) and _is_cut(before):
        follows = isinstance(event, FileEvent) and (
            (event.sequence, event.parts, event.part) == (before.sequence, before.parts, before.part + 1)
            and event.session_id == before.session_id
        )
        if not follows:
            raise _refused(f"record {before.sequence} is not whole")
    elif isinstance(event, FileEvent) and event.part > 0:
        raise _refused(f"record {event.sequence} is not whole")
    elif before is not None and event.sequence <= before.sequence:
        raise _refused(f"event {event.address} comes after event {before.address}")


def _is_cut(before: FileEvent | WorkspaceEvent | None) -> bool:
    """Whether more of its record must follow."""
    return isinstance(before, FileEvent) and before.part + 1 < before.parts


def _lines(values: Iterable[msgspec.Struct]) -> Iterator[bytes]:
    for value in values:
        yield _line(value)


def _line(value: msgspec.Struct) -> bytes:
    return one_line(_encoder.encode(value)) + b"\n"


def read_line(line: bytes) -> Line:
    """What one line says. `Rejected(kind="invalid_request")` if it is none of a session's file."""
    try:
        found: Line = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _refused(f"it is not an exported session, or damaged ({error})") from error
    return found


def _refused(why: str) -> Rejected:
    return Rejected(f"This file can't be imported: {why}", kind="invalid_request")
