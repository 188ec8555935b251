"""What a fork of a session gets of its files: the workspace as it was, and what comes with a message."""

from collections.abc import Sequence
from contextlib import nullcontext

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.files import FileScope, PathValue, SentFile, path_key
from agent_contracts.ids import SessionId
from agent_domain.files.file import File, FileRef, StoredContent, Workspace, value_of
from agent_domain.files.files import Files, NewFile
from agent_domain.files.rules import file_id_of
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import ChangeSet, Entity, EntityKey, EntityWriter, OtherChange, Write
from agent_platform.entities.room import HasRoom

_AT_ONCE = 250
"""Files in one atomic batch: with their paths, fewer messages than the 1,000 that nats-server takes."""


async def copy_workspace(  # noqa: PLR0913 — whose, as of when, for whom, by whom, with which room
    entities: Entities,
    origin: Workspace,
    at: int,
    child: SessionId,
    writer: EntityWriter,
    room: HasRoom | None,
) -> int:
    """Give `child` copies of the origin's own files as of event `at`; how many they are.

    Each has a new id that follows from the old one, under which it is found as well; the bytes are shared.
    A repeat by this writer, who writes only after `at`, does nothing. To be done before the child is there
    to read them: what it made of them isn't looked at. `Rejected(kind="too_large")` where the agent has no
    `room` for all of them; none is copied then.
    """
    listed = await entities.list(origin.agent_id, EntityKind.FILE, up_to=at)
    own = [one for one in listed if origin.session_id and value_of(one).session_id == origin.session_id]
    more = sum(value_of(one).size + len(msgspec.json.encode(one.value)) for one in own)
    async with nullcontext() if room is None else room.growing(origin.agent_id, more):
        for start in range(0, len(own), _AT_ONCE):
            await _copy(entities, own[start : start + _AT_ONCE], child, writer)
    return len(own)


async def copy_sent(
    files: Files, child: Workspace, sent: Sequence[SentFile], writer: EntityWriter
) -> tuple[SentFile, ...]:
    """The same files in the child's workspace, with the bytes that they were sent with: what its own message
    comes with. One that the child sees with these bytes stays as it is, another at its path gets its next
    version. A repeat by this writer does nothing.
    """
    return tuple([await _sent(files, child, one, writer) for one in sent])


async def _sent(files: Files, child: Workspace, sent: SentFile, writer: EntityWriter) -> SentFile:
    writing = msgspec.structs.replace(writer, id=f"{writer.id}:sent:{sent.file_id}:{sent.version}")
    stored = StoredContent(sent.blob, sent.size, sent.media_type, "upload")
    seen = await _seen(files, child, FileRef(file_id=sent.file_id))
    if seen is not None and seen.blob == sent.blob:
        file = seen
    else:
        there = await _seen(files, child, FileRef(path=sent.path))
        if there is not None and there.scope is FileScope.SESSION:
            file = await files.write(child, FileRef(file_id=there.file_id), stored, writing)
        else:
            new = NewFile(sent.path, stored, FileScope.SESSION, forked_from=sent.file_id)
            file = await files.create(child, new, writing)
    return SentFile(file.file_id, file.path, file.media_type, file.size, file.version, file.blob)


async def _seen(files: Files, workspace: Workspace, ref: FileRef) -> File | None:
    try:
        return await files.find(workspace, ref)
    except Rejected as refused:
        if refused.kind != "not_found":
            raise
        return None


async def _copy(entities: Entities, files: Sequence[Entity], child: SessionId, writer: EntityWriter) -> None:
    drafts = [draft for file in files for draft in _copies(file, child, writer)]
    first, *rest = drafts

    async def decide(before: Entity | None) -> ChangeSet:
        return ChangeSet(None) if before is not None else ChangeSet(first.change, tuple(rest))

    await entities.change_together(first.key, first.writer, decide)


def _copies(file: Entity, child: SessionId, writer: EntityWriter) -> tuple[OtherChange, OtherChange]:
    """The copy, and that its path is taken."""
    agent_id, old = file.key.agent_id, file.key.name
    writing = msgspec.structs.replace(writer, id=f"{writer.id}:{old}")
    copy_id = file_id_of(f"{child}:{old}")
    value = msgspec.structs.replace(value_of(file), session_id=child, forked_from=old)
    place = EntityKey(agent_id, EntityKind.PATH, path_key(child, value.path))
    return (
        OtherChange(
            EntityKey(agent_id, EntityKind.FILE, copy_id),
            None,
            Write(msgspec.to_builtins(value), file.outside),
            writing,
        ),
        OtherChange(place, None, Write(msgspec.to_builtins(PathValue(copy_id))), writing.beside("to")),
    )
