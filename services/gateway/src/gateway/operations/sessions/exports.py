"""A session as one file; see `agent_contracts.session_file`."""

from collections.abc import Iterator

import msgspec

from agent_contracts import session_file
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.model_context import ModelContext
from agent_contracts.session_events.decisions import ForkedFrom
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed, ToolCallCompleted
from agent_contracts.session_file import FileBlob, FileEvent, Head, SessionFile
from agent_contracts.session_key import SessionKey
from agent_platform.log.decoding import decode
from agent_platform.log.port import StoredMessage
from agent_platform.process.clock import rfc3339
from gateway.deps import Deps
from gateway.operations.sessions.directory import KnownSession


async def export(deps: Deps, session: KnownSession) -> bytes:
    """The file: the session up to now, what its history begins with, and every blob these name."""
    stored: list[StoredMessage] = []
    sessions: list[SessionId] = []
    await _collect(deps, session.agent_id, session.session_id, None, stored, sessions)
    stored.sort(key=lambda message: message.sequence)
    head = Head(
        format=session_file.FORMAT,
        version=session_file.VERSION,
        session_id=session.session_id,
        agent_id=session.agent_id,
        sessions=tuple(sessions),
        exported_at=rfc3339(deps.clock.now()),
    )
    events = tuple(
        FileEvent(one.sequence, one.subject, dict(one.headers), one.data.decode()) for one in stored
    )
    return session_file.write(SessionFile(head, events, await _blobs(deps, stored)))


async def _collect(
    deps: Deps,
    agent_id: AgentId,
    session_id: SessionId,
    up_to: int | None,
    stored: list[StoredMessage],
    sessions: list[SessionId],
) -> None:
    """A session's events up to a sequence, after those of the sessions that its history begins with."""
    origin: ForkedFrom | None = None
    async for message in deps.log.read(SessionKey(agent_id, session_id).everything, up_to=up_to):
        stored.append(message)
        event = decode(message).event
        if isinstance(event, ForkedFrom):
            origin = event
    if origin is not None:
        await _collect(deps, origin.agent_id, origin.session_id, origin.at, stored, sessions)
    sessions.append(session_id)


async def _blobs(deps: Deps, stored: list[StoredMessage]) -> tuple[FileBlob, ...]:
    found: dict[str, bytes] = {}
    for message in stored:
        event = decode(message).event
        match event:
            case ModelCallCompleted(context=str(context)) | ModelCallFailed(context=str(context)):
                if context not in found:
                    found[context] = await deps.blobs.get(context)
                    for part in _parts(found[context]):
                        found[part] = found.get(part) or await deps.blobs.get(part)
            case ToolCallCompleted(excerpt=excerpt) if excerpt is not None:
                found[excerpt.blob.sha256] = await deps.blobs.get(excerpt.blob.sha256)
            case _:
                pass
    return tuple(FileBlob(sha256, data) for sha256, data in found.items())


def _parts(context: bytes) -> Iterator[str]:
    seen = msgspec.json.decode(context, type=ModelContext)
    yield from (part.sha256 for part in seen.system)
    yield from seen.tools
