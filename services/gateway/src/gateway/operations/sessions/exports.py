"""A session as one file; see `agent_contracts.session_file`."""

from collections.abc import Iterator

import msgspec

from agent_contracts import session_file
from agent_contracts.cloud_events import to_cloud_event
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.model_context import ModelContext
from agent_contracts.session_events.decisions import ForkedFrom
from agent_contracts.session_events.inputs import Created
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed, ToolCallCompleted
from agent_contracts.session_file import FileBlob, FileEvent, FileSkipped, Head, SessionFile
from agent_contracts.session_key import SessionKey
from agent_contracts.subjects import parse_session_subject
from agent_platform.blobs.port import Blobs
from agent_platform.log.decoding import Skipped, decode, read
from agent_platform.log.port import Log, StoredMessage
from agent_platform.process.clock import Clock, rfc3339
from gateway.operations.sessions.directory import Directory

_CREATED = "a session is created once, and that comes first"


class Exports:
    """Writes sessions as files."""

    def __init__(self, log: Log, blobs: Blobs, clock: Clock, directory: Directory) -> None:
        self._log = log
        self._blobs = blobs
        self._clock = clock
        self._directory = directory

    async def file(self, session_id: SessionId) -> bytes:
        """The session up to now, what its history begins with, and every blob that these name."""
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
        return session_file.write(SessionFile(head, events, await self._named_blobs(stored), skipped))

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

    async def _named_blobs(self, stored: list[StoredMessage]) -> tuple[FileBlob, ...]:
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
        return tuple(FileBlob(sha256, data) for sha256, data in found.items())


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
