"""The file of an import, read from its blob line by line: it is never in memory as a whole."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

import msgspec

from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId, child_session_id
from agent_contracts.session_events.decisions import ChildSpawned
from agent_contracts.session_events.inputs import Created
from agent_contracts.sessions.session_file import (
    FileEvent,
    FileHead,
    FileSkipped,
    Line,
    WorkspaceEvent,
    read_line,
)
from agent_platform.log.blobs.port import Blobs
from session_engine.imports.events import ImportedNames, decoded
from session_engine.imports.workspace import MissingVersions, change_in

Step = list[FileEvent] | WorkspaceEvent
"""What is appended at once: the events of a record, or one about a file."""


class Survey(msgspec.Struct, frozen=True):
    """What is known of a file once all of it was read: how many events it has, those about files included;
    `skipped` are its messages that were no events."""

    head: FileHead
    events: int
    skipped: frozenset[int]
    here: ImportedNames
    lacking: MissingVersions


class EventsFile:
    """An exported session without its blobs, stored under its SHA-256."""

    def __init__(self, blobs: Blobs, sha256: str) -> None:
        self._blobs = blobs
        self._sha256 = sha256

    async def lines(self, start: int = 0) -> AsyncGenerator[tuple[int, Line], None]:
        """The lines from byte `start` on, each with the byte after it."""
        held, at = bytearray(), start
        async with aclosing(self._blobs.stream(self._sha256, start)) as pieces:
            async for piece in pieces:
                begun = 0
                while (end := piece.find(b"\n", begun) + 1) > 0:
                    line = bytes(held) + piece[begun:end]
                    held.clear()
                    begun, at = end, at + len(line)
                    yield at, read_line(line)
                held += piece[begun:]

    async def steps(self, start: int) -> AsyncGenerator[tuple[int, Step], None]:
        """The steps from byte `start` on, each with the byte after it."""
        record: list[FileEvent] = []
        async with aclosing(self.lines(start)) as lines:
            async for after, line in lines:
                if isinstance(line, WorkspaceEvent):
                    yield after, line
                if not isinstance(line, FileEvent):
                    continue
                record.append(line)
                if line.part + 1 >= line.parts:
                    yield after, record
                    record = []

    async def survey(self, agent_id: AgentId, ids: Mapping[SessionId, SessionId]) -> Survey:
        """Read all of it. `Rejected` unless each event can be read, and sessions begin with their creation.

        New ids are those of `ids` and, as `decide` derives them again, of the sub-sessions of these.
        """
        head: FileHead | None = None
        skipped: set[int] = set()
        begun: set[SessionId] = set()
        renamed: dict[str, str] = {str(old): str(new) for old, new in ids.items()}
        lacking = MissingVersions(self._blobs)
        count = 0
        async with aclosing(self.lines()) as lines:
            async for _, line in lines:
                match line:
                    case FileHead():
                        head = line
                    case FileSkipped():
                        skipped.add(line.sequence)
                    case FileEvent():
                        count += 1
                        event = decoded(line)
                        _check_beginning(line, event, begun)
                        if isinstance(event, ChildSpawned) and line.session_id in ids:
                            child = child_session_id(ids[line.session_id], event.call_id)
                            renamed[event.child_id] = child
                    case WorkspaceEvent():
                        count += 1
                        await lacking.look(line, change_in(line, _after(head, line)))
                    case _:
                        pass
        missing = set(head.sessions) - begun if head else set()
        if head is None or missing:
            raise Rejected(f"the file has no events of {', '.join(sorted(missing))}", kind="invalid_request")
        return Survey(head, count, frozenset(skipped), ImportedNames(agent_id, renamed), lacking)


def _after(head: FileHead | None, line: WorkspaceEvent) -> FileHead:
    if head is None:
        raise Rejected(f"event {line.sequence} comes before the file's head", kind="invalid_request")
    return head


def _check_beginning(line: FileEvent, event: msgspec.Struct, begun: set[SessionId]) -> None:
    if (line.session_id not in begun) != isinstance(event, Created):
        raise Rejected(
            f"event {line.address} can't be imported: a session begins with its creation",
            kind="invalid_request",
        )
    begun.add(line.session_id)
