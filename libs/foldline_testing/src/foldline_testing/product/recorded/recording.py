"""A recorded story as files: each session as exported, what it must come to, and what people saw.

`<label>.ndjson` is an exported session (`agent_contracts.sessions.session_file`), but for its blobs: most
are in all of them, so they lie beside the stories, each once, under its hash, and `blobs.json` names them.
What the events must come to is in `fold.json`, `requests.json` and `rows.json`, what the API answered in
`seen.json`: a change of one of these changes that file alone. All of it is plain data that names no module
of ours.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.cloud_events import from_cloud_event
from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.sessions import session_file
from agent_contracts.sessions.session_file import FileBlob, FileEvent, SessionFile
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog

_BLOBS = "blobs"
_FILE = ".ndjson"
_JSON = ("blobs", "fold", "requests", "rows", "seen")
_FOLD = frozenset({"states", "fingerprints", "decisions"})
"""What `fold.json` holds of each session; `requests.json` holds the rest of what is expected of it."""
_LINES = 4
"""So deep each member of a JSON file has a line of its own."""


@dataclass(frozen=True)
class Recording:
    """One story. `sessions` by label; `expected` and `seen` have the same labels."""

    name: str
    sessions: dict[str, SessionFile]
    expected: dict[str, Any]
    seen: dict[str, Any]

    @property
    def agent_id(self) -> AgentId:
        """Whose sessions they are."""
        return next(iter(self.sessions.values())).head.agent_id

    def session_id(self, label: str) -> SessionId:
        """The id of one of its sessions."""
        return self.sessions[label].head.session_id

    def events(self) -> list[FileEvent]:
        """The events of all its sessions, each once, as the log held them."""
        return events_of(self.sessions)

    def messages(self) -> list[StoredMessage]:
        """The same, as messages of the log."""
        return [stored(event) for event in self.events()]


def events_of(sessions: dict[str, SessionFile]) -> list[FileEvent]:
    """The events of several files, each once, in order."""
    found = {(event.sequence, event.part): event for file in sessions.values() for event in file.events}
    return [found[sequence] for sequence in sorted(found)]


def stored(event: FileEvent) -> StoredMessage:
    """An event of a file as a message of the log."""
    envelope = from_cloud_event(event.headers)
    headers = {MESSAGE_ID: envelope.id.removesuffix(f".{event.part}") if event.part else envelope.id}
    data = event.data.encode()
    return StoredMessage(
        event.sequence, event.subject, data, headers, event.part, event.parts, envelope=envelope
    )


def log_of(sessions: dict[str, SessionFile]) -> MemoryLog:
    """A log that holds these sessions, each event at its own sequence."""
    log = MemoryLog()
    log.hold(stored(event) for event in events_of(sessions))
    return log


async def blobs_of(sessions: dict[str, SessionFile]) -> MemoryBlobs:
    """The blobs that they name."""
    blobs = MemoryBlobs()
    for file in sessions.values():
        for blob in file.blobs:
            await blobs.put(blob.data)
    return blobs


def stories_in(folder: Path) -> list[str]:
    """The names of the stories that a folder holds, in order."""
    return sorted(path.parent.name for path in folder.glob("*/fold.json"))


def as_read(recording: Recording) -> Recording:
    """The recording as it will be read once it is written: plain JSON."""
    expected, seen = (json.loads(json.dumps(part)) for part in (recording.expected, recording.seen))
    return Recording(recording.name, recording.sessions, expected, seen)


def read(folder: Path) -> Recording:
    """A story's files. Raises `Rejected` for a damaged one, `OSError` for a missing one."""
    found = {name: json.loads((folder / f"{name}.json").read_text()) for name in _JSON}
    sessions = {label: _read_session(folder, label, blobs) for label, blobs in found["blobs"].items()}
    each = {label: {**found["fold"][label], "requests": found["requests"][label]} for label in found["fold"]}
    return Recording(folder.name, sessions, {"sessions": each, "rows": found["rows"]}, found["seen"])


def read_all(folder: Path) -> list[Recording]:
    """All stories of a folder, by name."""
    return [read(folder / name) for name in stories_in(folder)]


def write(recording: Recording, into: Path) -> list[str]:
    """Write a story's files; the names of those that weren't the same before."""
    folder, blobs = into / recording.name, into / _BLOBS
    for each in (folder, blobs):
        each.mkdir(parents=True, exist_ok=True)
    for file in recording.sessions.values():
        for blob in file.blobs:
            (blobs / blob.sha256).write_bytes(blob.data)
    files = _files(recording)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for name in before.keys() - files.keys():
        (folder / name).unlink()
    changed = [name for name, content in files.items() if before.get(name) != content]
    for name in changed:
        (folder / name).write_bytes(files[name])
    return sorted({*changed, *(before.keys() - files.keys())})


def _files(recording: Recording) -> dict[str, bytes]:
    """What is in the files of a story, by their names."""
    expected = recording.expected["sessions"]
    parts = {
        "blobs": {label: [one.sha256 for one in file.blobs] for label, file in recording.sessions.items()},
        "fold": {
            label: {part: value for part, value in of.items() if part in _FOLD}
            for label, of in expected.items()
        },
        "requests": {label: of["requests"] for label, of in expected.items()},
        "rows": recording.expected["rows"],
        "seen": recording.seen,
    }
    files = {f"{name}.json": (_in_lines(part, _LINES) + "\n").encode() for name, part in parts.items()}
    bare = {label: msgspec.structs.replace(file, blobs=()) for label, file in recording.sessions.items()}
    return files | {f"{label}{_FILE}": session_file.write(file) for label, file in bare.items()}


def forget_unused_blobs(folder: Path) -> None:
    """Remove the blobs that no story of the folder names any more."""
    used = {blob.sha256 for one in read_all(folder) for file in one.sessions.values() for blob in file.blobs}
    for path in (folder / _BLOBS).iterdir():
        if path.name not in used:
            path.unlink()


def _in_lines(value: Any, depth: int, indent: str = "") -> str:
    """JSON with a line for each member down to `depth`, so that a diff shows which one changed."""
    inner = f"{indent} "
    if isinstance(value, dict) and value and depth:
        members = [f"{json.dumps(key)}: {_in_lines(value[key], depth - 1, inner)}" for key in sorted(value)]
    elif isinstance(value, list) and value and depth:
        members = [_in_lines(one, depth - 1, inner) for one in value]
    else:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    return f"{opening}\n{inner}" + f",\n{inner}".join(members) + f"\n{indent}{closing}"


def _read_session(folder: Path, label: str, blobs: list[str]) -> SessionFile:
    """An exported session with its blobs, checked as one that is imported."""
    bare = session_file.read((folder / f"{label}{_FILE}").read_bytes())
    found = tuple(FileBlob(sha256, (folder.parent / _BLOBS / sha256).read_bytes()) for sha256 in blobs)
    return session_file.read(session_file.write(msgspec.structs.replace(bare, blobs=found)))
