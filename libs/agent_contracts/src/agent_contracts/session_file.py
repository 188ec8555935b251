"""A session as one file: its events and blobs, for bug reports and tests.

Lines of JSON (`application/x-ndjson`), each with a member `line` that says what it is:

- `head`, first: format, version, the session, and all sessions in the file: those whose beginning it goes
  back to by forks first, itself last. Of a session it was forked from, the file has what it refers to.
- `event`: one of the log, in order: sequence, subject, envelope as a CloudEvent's, body as text.
- `skipped`: that a message stood among them which isn't an event, and why; nothing of what it held.
- `blob`: one that an event names (what a model saw, a large result), its bytes in base64.
- `end`, last: how many of each, and the SHA-256 of every byte before this line.
"""

import hashlib
import io
from collections.abc import Iterable, Iterator
from typing import Annotated, BinaryIO

import msgspec

from agent_contracts.address import Address
from agent_contracts.blob_ref import sha256_of
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.ids import AgentId, SessionId, check_id
from agent_contracts.json_reader import JsonLimits, read_json
from agent_contracts.subjects import parse_session_subject

FORMAT = "foldline-session"
VERSION = 1
MEDIA_TYPE = "application/x-ndjson"

_EVENT = JsonLimits(size=16 * 1024 * 1024, depth=128, any_text=True)
"""What an event in a file may be; a body that comes in may be nested 100 deep, and stands within an event."""

_Count = Annotated[int, msgspec.Meta(ge=0)]


class Head(msgspec.Struct, frozen=True, tag_field="line", tag="head"):
    """What the file is. `exported_at` is RFC 3339."""

    format: str
    version: int
    session_id: SessionId
    agent_id: AgentId
    sessions: tuple[SessionId, ...]
    exported_at: str


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


class End(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="line", tag="end"):
    """What the file must hold, so that a damaged one shows."""

    events: _Count
    blobs: _Count
    sha256: str
    skipped: _Count = 0


Line = Head | FileEvent | FileSkipped | FileBlob | End
"""What stands on one line."""


class SessionFile(msgspec.Struct, frozen=True):
    """A whole file."""

    head: Head
    events: tuple[FileEvent, ...]
    blobs: tuple[FileBlob, ...] = ()
    skipped: tuple[FileSkipped, ...] = ()


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Line)
_A_BLOB = b'{"line":"blob"'


def write(file: SessionFile) -> bytes:
    """The file's bytes."""
    content = b"".join(_lines([file.head, *file.events, *file.skipped, *file.blobs]))
    end = End(len(file.events), len(file.blobs), sha256_of(content), len(file.skipped))
    return content + _encoder.encode(end) + b"\n"


def read(data: bytes) -> SessionFile:
    """A file's content. `Rejected(kind="invalid_request")` if it is none, damaged, or of a newer version."""
    kept: list[FileBlob] = []
    file, _ = _read(io.BytesIO(data), kept)
    return msgspec.structs.replace(file, blobs=tuple(kept))


def read_without_blobs(data: BinaryIO) -> tuple[SessionFile, int]:
    """As `read`, from the beginning of an open file: what it holds but for its blobs, which are checked one
    by one and not kept, and how many these are."""
    data.seek(0)
    return _read(data, None)


def blobs_of(data: BinaryIO) -> Iterator[FileBlob]:
    """The blobs of an open file that was read before, one at a time."""
    data.seek(0)
    for line in data:
        if line.startswith(_A_BLOB) and isinstance(blob := _line(line), FileBlob):
            yield blob


def _read(data: BinaryIO, kept: list[FileBlob] | None) -> tuple[SessionFile, int]:
    lines = _Lines(data)
    head = _line(lines.next())
    if not isinstance(head, Head) or head.format != FORMAT:
        raise _refused("it is not an exported session")
    if head.version != VERSION:
        raise _refused(f"it is of version {head.version}; this Foldline reads version {VERSION}: update it")
    events: list[FileEvent] = []
    skipped: list[FileSkipped] = []
    blobs = 0
    while True:
        before = lines.sha256()
        match _line(lines.next()):
            case FileEvent() as event:
                events.append(event)
            case FileSkipped() as one:
                skipped.append(one)
            case FileBlob() as blob:
                _check_blob(blob)
                blobs += 1
                if kept is not None:
                    kept.append(blob)
            case End() as end:
                break
            case Head():
                raise _refused("it has two heads")
    if lines.are_left():
        raise _refused("it goes on after its end")
    if before != end.sha256:
        raise _refused("it is damaged: its content is not what its SHA-256 says")
    if (len(events), blobs, len(skipped)) != (end.events, end.blobs, end.skipped):
        raise _refused("it doesn't hold as many events, blobs and skipped messages as it says")
    file = SessionFile(head, tuple(events), skipped=tuple(skipped))
    _check(file)
    return file, blobs


def check_nesting(file: SessionFile) -> None:
    """`Rejected` for an event that is nested deeper than what may be stored, or isn't JSON. Takes a while."""
    for event in file.events:
        read_json(event.data, _EVENT, f"event {event.address}")


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


def _check(file: SessionFile) -> None:
    for name in (file.head.agent_id, *file.head.sessions):
        check_id(name)
    if not file.head.sessions or file.head.sessions[-1] != file.head.session_id:
        raise _refused("its head doesn't name its session last")
    before: FileEvent | None = None
    for event in file.events:
        _check_place(before, event)
        before = event
        try:
            session_id = event.session_id
        except Permanent as error:
            raise _refused(error.message) from error
        if session_id not in file.head.sessions:
            raise _refused(f"event {event.address} is of another session")
    if before is not None and before.part + 1 < before.parts:
        raise _refused(f"record {before.sequence} is not whole")
    for one in file.skipped:
        if one.session_id not in file.head.sessions:
            raise _refused(f"message {one.sequence}, which was skipped, is of another session")


def _check_blob(blob: FileBlob) -> None:
    if sha256_of(blob.data) != blob.sha256:
        raise _refused(f"blob {blob.sha256[:80]!r} holds other bytes than its name says")


def _check_place(before: FileEvent | None, event: FileEvent) -> None:
    """Records come in order, and whole."""
    if before is not None and before.part + 1 < before.parts:
        same = (event.sequence, event.parts) == (before.sequence, before.parts)
        if not same or event.part != before.part + 1 or event.session_id != before.session_id:
            raise _refused(f"record {before.sequence} is not whole")
    elif event.part > 0:
        raise _refused(f"record {event.sequence} is not whole")
    elif before is not None and event.sequence <= before.sequence:
        raise _refused(f"event {event.address} comes after event {before.address}")


def _lines(values: Iterable[msgspec.Struct]) -> Iterator[bytes]:
    for value in values:
        yield _encoder.encode(value) + b"\n"


def _line(line: bytes) -> Line:
    try:
        found: Line = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _refused(f"it is not an exported session, or damaged ({error})") from error
    return found


def _refused(why: str) -> Rejected:
    return Rejected(f"this file can't be imported: {why}", kind="invalid_request")
