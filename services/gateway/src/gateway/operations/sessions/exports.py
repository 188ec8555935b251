"""A session as one file; see `agent_contracts.session_file`."""

from collections.abc import Iterator, Mapping

import msgspec

from agent_contracts import session_file
from agent_contracts.cloud_events import to_cloud_event
from agent_contracts.entities import EntityKind
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.model_context import ModelContext
from agent_contracts.session_events.decisions import ForkedFrom
from agent_contracts.session_events.inputs import Created, UserMessage
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed, ToolCallCompleted
from agent_contracts.session_file import FileBlob, FileEvent, FileSkipped, Head, SessionFile, WorkspaceFile
from agent_contracts.session_key import SessionKey
from agent_contracts.subjects import parse_session_subject
from agent_domain.files.file import value_of
from agent_domain.files.workspaces import Workspaces
from agent_platform.entities.entities import Entities
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.decoding import Skipped, decode, read
from agent_platform.log.port import Log, StoredMessage
from agent_platform.process.clock import Clock, rfc3339
from gateway.operations.sessions.directory import Directory
from gateway.operations.sessions.inputs import SOURCE

_LARGEST_FILES = session_file.LARGEST_FILES
_CREATED = "a session is created once, and that comes first"


class Exports:
    """Writes sessions as files."""

    def __init__(self, log: Log, blobs: Blobs, clock: Clock, directory: Directory) -> None:
        self._log = log
        self._blobs = blobs
        self._clock = clock
        self._directory = directory
        self._entities = Entities(log, clock, SOURCE)
        self._workspaces = Workspaces(log)

    async def file(self, session_id: SessionId) -> bytes:
        """The session up to now, what its history begins with, and every blob that these name.

        With it the files that it has now, and those that were sent with messages, as far as there is room
        (see `session_file`).
        """
        session = await self._directory.find(session_id)
        collected = _Collected([], [], [])
        await self._collect(session.agent_id, session_id, None, collected)
        stored = sorted(collected.stored, key=lambda message: message.address)
        head = Head(
            format=session_file.FORMAT,
            version=session_file.VERSION,
            session_id=session_id,
            agent_id=session.agent_id,
            sessions=tuple(collected.sessions),
            exported_at=rfc3339(self._clock.now()),
        )
        events = tuple(_file_event(one) for one in stored)
        skipped = tuple(sorted(collected.skipped, key=lambda one: one.sequence))
        blobs = await self._named_blobs(stored)
        files = await self._files(SessionKey(session.agent_id, session_id))
        named = {one.value.blob: one.value.size for one in files} | _sent(stored)
        kept = fitting(
            {sha256: size for sha256, size in named.items() if sha256 not in blobs}, _LARGEST_FILES
        )
        blobs |= {sha256: await self._blobs.get(sha256) for sha256 in kept}
        found = tuple(FileBlob(sha256, data) for sha256, data in blobs.items())
        return session_file.write(SessionFile(head, events, found, skipped, files))

    async def _files(self, session: SessionKey) -> tuple[WorkspaceFile, ...]:
        """What the session has in its workspace now."""
        workspace = await self._workspaces.of(session)
        listed = await self._entities.list(session.agent_id, EntityKind.FILE)
        values = {one.key.name: value_of(one) for one in listed}
        own = {name: one for name, one in values.items() if one.session_id == workspace.session_id}
        return tuple(WorkspaceFile(name, value) for name, value in own.items())

    async def _collect(
        self, agent_id: AgentId, session_id: SessionId, up_to: int | None, into: "_Collected"
    ) -> None:
        """A session's events up to a sequence, after those of the sessions that its history begins with.

        Of what is skipped, that it was there and why.
        """
        origin: ForkedFrom | None = None
        begun = False
        async for message in self._log.read(SessionKey(agent_id, session_id).everything, up_to=up_to):
            found = read(message)
            if isinstance(found, Skipped) or begun is isinstance(found.event, Created):
                problem = found.problem if isinstance(found, Skipped) else _CREATED
                into.skipped.append(FileSkipped(message.sequence, session_id, problem))
                continue
            begun = True
            into.stored.append(message)
            if isinstance(found.event, ForkedFrom):
                origin = found.event
        if origin is not None:
            await self._collect(origin.agent_id, origin.session_id, origin.at, into)
        into.sessions.append(session_id)

    async def _named_blobs(self, stored: list[StoredMessage]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for message in stored:
            event = decode(message).event
            match event:
                case ModelCallCompleted(context=str(context)) | ModelCallFailed(context=str(context)):
                    if context not in found:
                        found[context] = await self._blobs.get(context)
                        for part in _parts(found[context]):
                            found[part] = found.get(part) or await self._blobs.get(part)
                case ToolCallCompleted(excerpt=excerpt) if excerpt is not None:
                    found[excerpt.blob.sha256] = await self._blobs.get(excerpt.blob.sha256)
                case _:
                    pass
        return found


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
        match decode(message).event:
            case UserMessage(files=files):
                found |= {one.blob: one.size for one in files}
            case ToolCallCompleted(pictures=pictures):
                found |= {one.blob: one.size for one in pictures}
            case _:
                pass
    return found


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


def _parts(context: bytes) -> Iterator[str]:
    seen = msgspec.json.decode(context, type=ModelContext)
    yield from (part.sha256 for part in seen.system)
    yield from seen.tools
    yield seen.shapes
