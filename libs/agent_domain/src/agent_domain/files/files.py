"""What is done to the files of an agent: each write is one atomic batch of entities, after its blob.

    files = Files(entities, blobs)          # one for each process: it remembers sizes
    workspace = Workspace(agent_id, id_of_the_session_at_the_top_of_the_tree or None)
    file = await files.create(workspace, New("a/b.csv", Content(data, source="upload")), writer)
    file = await files.write(workspace, FileRef(path="a/b.csv"), Stored(sha256, size, …), writer, version=1)

A `writer` is one write: a repeat with the same one gives what the first attempt did. Reads are strong. Where
others are faster again and again, a write is a `Conflict`; what the rules refuse is `Rejected`.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from io import SEEK_END
from typing import BinaryIO

import msgspec

from agent_contracts.entities.entity import EntityKind, EntityWritten
from agent_contracts.event_sources import Actor
from agent_contracts.files import (
    FileScope,
    FileSource,
    FileValue,
    PathValue,
    path_key,
)
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.json_value import Json
from agent_domain.files import rules
from agent_domain.files.file import File, FileContent, FileRef, StoredContent, Workspace, file_of, value_of
from agent_domain.files.media_types import media_type_of
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import (
    ChangeSet,
    Delete,
    Entity,
    EntityChange,
    EntityKey,
    EntityWriter,
    OtherChange,
    Write,
)
from agent_platform.log.blobs.port import Blobs
from agent_platform.process.stop_points import stop_point

_BEGINNING = 70_000
"""Bytes by which a file's type is told."""
_PIECE = 256 * 1024

Change = Callable[[File, bytes], Awaitable[FileContent]]
"""The next version of a file out of the current one."""


class NewFile(msgspec.Struct, frozen=True):
    """A file to be made. Without a scope it is the session's, the agent's where there is no session."""

    path: str
    content: FileContent | StoredContent
    scope: FileScope | None = None
    forked_from: str | None = None


class Files:
    """The files of all agents."""

    def __init__(self, entities: Entities, blobs: Blobs) -> None:
        self._entities = entities
        self._blobs = blobs

    async def list(self, workspace: Workspace, *, up_to: int | None = None) -> Sequence[File]:
        """All that are seen, by path; now, or as of event `up_to`."""
        found = await self._entities.list(workspace.agent_id, EntityKind.FILE, up_to=up_to)
        return rules.visible(map(file_of, found), workspace)

    async def find(self, workspace: Workspace, ref: FileRef, version: int | None = None) -> File:
        """The file, as it is or as an earlier version. `Rejected(kind="not_found")` for one that
        doesn't exist or isn't seen, `Rejected` for a folder; a fork's copy is found under the id of what it
        was copied from, too."""
        entity = await self._entity(workspace, rules.checked_ref(ref))
        if entity is None:
            rules.check_no_folder(ref, await self.list(workspace) if ref.path is not None else ())
            raise rules.unknown(ref)
        if version is None or version == entity.version:
            return file_of(entity)
        async for recorded in self._entities.versions(entity.key):
            event = recorded.event
            if isinstance(event, EntityWritten) and event.version == version:
                earlier = await self._entities.as_of(entity.key, recorded.sequence)
                assert earlier is not None
                return file_of(earlier)
        raise rules.unknown(ref, version)

    async def read(self, file: File) -> bytes:
        """The bytes of this version."""
        return await self._blobs.get(file.blob)

    async def store(self, agent_id: AgentId, path: str, data: BinaryIO, source: FileSource) -> StoredContent:
        """Store what is in an open file, piece by piece, to be a file at `path`. `Rejected`: `too_large`."""
        size = data.seek(0, SEEK_END)
        rules.check_size(size)
        await self.check_room(agent_id, size)
        data.seek(0)
        media_type = media_type_of(path, data.read(_BEGINNING))
        data.seek(0)
        blob = await self._blobs.put_stream(_pieces(data), media_type, owner=agent_id)
        return StoredContent(blob.sha256, blob.size, media_type, source)

    async def check_room(self, agent_id: AgentId, more: int) -> None:
        """`Rejected(kind="too_large")` where `more` bytes are too many beside all that the agent keeps."""
        if self._entities.room is not None:
            await self._entities.room.require(agent_id, more)

    async def create(self, workspace: Workspace, new: NewFile, writer: EntityWriter) -> File:
        """Make a file. `Rejected(kind="conflict")` if its path is taken in its scope."""
        rules.checked_path(new.path)
        scope = rules.scope_for(new.scope, workspace)
        owner = workspace.session_id if scope is FileScope.SESSION else None
        done = await self._done(workspace, writer)
        if done is not None:
            return _after(done)
        stored = await self._stored(workspace, new.path, new.content, 0)
        key = _key(workspace, rules.file_id_of(writer.id))

        async def decide(before: Entity | None) -> ChangeSet:
            value = FileValue(
                path=new.path,
                media_type=stored.media_type,
                size=stored.size,
                blob=stored.blob,
                scope=scope,
                source=stored.source,
                session_id=owner,
                made_from=stored.made_from,
                forked_from=new.forked_from,
            )
            take = await self._take(key, owner, new.path, writer)
            return ChangeSet(Write(_json(value)), (take,))

        return _after(await self._entities.change_together(key, writer, decide))

    async def write(
        self,
        workspace: Workspace,
        ref: FileRef,
        content: FileContent | StoredContent,
        writer: EntityWriter,
        version: int | None = None,
    ) -> File:
        """Make the next version; with `version`, only if the file still has that one. The same bytes again
        are the same version."""
        stored: StoredContent | None = None

        async def change(before: File) -> StoredContent:
            nonlocal stored
            if stored is None:
                stored = await self._stored(workspace, before.path, content, before.size)
            return stored

        return await self._next_version(workspace, ref, change, writer, version)

    async def edit(
        self,
        workspace: Workspace,
        ref: FileRef,
        change: Change,
        writer: EntityWriter,
        version: int | None = None,
    ) -> File:
        """Make the next version out of the current one; `change` is asked again where another write came
        between, unless `version` is given."""

        async def changed(before: File) -> StoredContent:
            content = await change(before, await self.read(before))
            return await self._stored(workspace, before.path, content, before.size)

        return await self._next_version(workspace, ref, changed, writer, version)

    async def rename(
        self, workspace: Workspace, ref: FileRef, path: str, writer: EntityWriter, version: int | None = None
    ) -> File:
        """Give it another path; a new version, unless it has that path. `Rejected(kind="conflict")` where the
        path is taken."""
        rules.checked_path(path)

        def renamed(value: FileValue) -> FileValue:
            return msgspec.structs.replace(value, path=path)

        return await self._move(workspace, ref, renamed, writer, version)

    async def promote(self, workspace: Workspace, ref: FileRef, writer: EntityWriter) -> File:
        """Make a session's file one of the agent's; a new version, unless it is the agent's already."""

        def promoted(value: FileValue) -> FileValue:
            return msgspec.structs.replace(value, scope=FileScope.AGENT, session_id=None)

        return await self._move(workspace, ref, promoted, writer, None)

    async def delete(
        self, workspace: Workspace, ref: FileRef, writer: EntityWriter, version: int | None = None
    ) -> File | None:
        """Delete it; what was deleted, None if there was nothing."""
        done = await self._done(workspace, writer)
        found = None if done else await self._entity(workspace, rules.checked_ref(ref))
        if found is None:
            return file_of(done.before) if done and done.before else None

        async def decide(before: Entity | None) -> ChangeSet:
            if before is None or not workspace.sees(value_of(before)):
                return ChangeSet(None)
            rules.check_version(file_of(before), version)
            return ChangeSet(Delete(), await self._give_up(before, writer))

        changed = await self._entities.change_together(found.key, writer, decide)
        return file_of(changed.before) if changed.before and changed.after is None else None

    async def restore(self, workspace: Workspace, earlier: File, writer: EntityWriter) -> File:
        """Make a file that was deleted again, under its id and path, as it was then; its versions begin anew.
        Nothing changes where it is there. `Rejected(kind="conflict")` where its path is taken."""
        await self.check_room(workspace.agent_id, earlier.size)
        key = _key(workspace, earlier.file_id)

        async def decide(before: Entity | None) -> ChangeSet:
            if before is not None:
                return ChangeSet(None)
            value = FileValue(
                path=earlier.path,
                media_type=earlier.media_type,
                size=earlier.size,
                blob=earlier.blob,
                scope=earlier.scope,
                source=earlier.source,
                session_id=earlier.session_id,
                made_from=earlier.made_from,
                forked_from=earlier.forked_from,
            )
            take = await self._take(key, earlier.session_id, earlier.path, writer)
            return ChangeSet(Write(_json(value), earlier.outside), (take,))

        return _after(await self._entities.change_together(key, writer, decide))

    async def _next_version(
        self,
        workspace: Workspace,
        ref: FileRef,
        change: Callable[[File], Awaitable[StoredContent]],
        writer: EntityWriter,
        version: int | None,
    ) -> File:
        async def decide(before: Entity) -> ChangeSet:
            stored, value = await change(file_of(before)), value_of(before)
            made = msgspec.structs.replace(
                value,
                blob=stored.blob,
                size=stored.size,
                media_type=stored.media_type,
                source=stored.source,
                made_from=stored.made_from or value.made_from,
            )
            same = (made.blob, made.media_type) == (value.blob, value.media_type)
            kept = file_of(before).outside if writer.actor is Actor.AGENT else ()
            return ChangeSet(None if same else Write(_json(made), kept))

        return await self._change(workspace, ref, decide, writer, version)

    async def _move(
        self,
        workspace: Workspace,
        ref: FileRef,
        move: Callable[[FileValue], FileValue],
        writer: EntityWriter,
        version: int | None,
    ) -> File:
        async def decide(before: Entity) -> ChangeSet:
            value = value_of(before)
            made = move(value)
            if made == value:
                return ChangeSet(None)
            take = await self._take(before.key, made.session_id, made.path, writer)
            return ChangeSet(Write(_json(made), before.outside), (*await self._give_up(before, writer), take))

        return await self._change(workspace, ref, decide, writer, version)

    async def _change(
        self,
        workspace: Workspace,
        ref: FileRef,
        change: Callable[[Entity], Awaitable[ChangeSet]],
        writer: EntityWriter,
        version: int | None,
    ) -> File:
        done = await self._done(workspace, writer)
        if done is not None:
            return _after(done)
        found = await self._entity(workspace, rules.checked_ref(ref))
        if found is None:
            raise rules.unknown(ref)

        async def decide(before: Entity | None) -> ChangeSet:
            if before is None or not workspace.sees(value_of(before)):
                raise rules.unknown(ref)
            rules.check_version(file_of(before), version)
            return await change(before)

        return _after(await self._entities.change_together(found.key, writer, decide))

    async def _done(self, workspace: Workspace, writer: EntityWriter) -> EntityChange | None:
        """What an earlier attempt at this write did: a path may lead elsewhere by now."""
        return await self._entities.written_by(workspace.agent_id, EntityKind.FILE, writer)

    async def _entity(self, workspace: Workspace, ref: FileRef) -> Entity | None:
        if ref.path is not None:
            return await self._at(workspace, ref.path)
        file_id = ref.file_id or ""
        if not rules.is_file_id(file_id):
            return None
        found = await self._entities.current(_key(workspace, file_id))
        if found is not None and workspace.sees(value_of(found)):
            return found
        if workspace.session_id is None:
            return None
        listed = await self._entities.list(workspace.agent_id, EntityKind.FILE)
        origins = {one.key.name: value_of(one).forked_from for one in listed}
        for entity in listed:
            own = value_of(entity).session_id == workspace.session_id
            if own and file_id in rules.copied_from(entity.key.name, origins):
                return entity
        return None

    async def _at(self, workspace: Workspace, path: str) -> Entity | None:
        owners = dict.fromkeys((workspace.session_id, None))
        keys = [_path(workspace.agent_id, owner, path) for owner in owners]
        for place in await self._entities.all_as_of(keys, None):
            if place is not None:
                file_id = msgspec.convert(place.value, PathValue).file_id
                found = await self._entities.current(_key(workspace, file_id))
                if found is not None:
                    return found
        return None

    async def _take(
        self, key: EntityKey, owner: SessionId | None, path: str, writer: EntityWriter
    ) -> OtherChange:
        """The path becomes the file's. `Rejected(kind="conflict")` where another file has it."""
        place = _path(key.agent_id, owner, path)
        before = await self._entities.current(place)
        if before is not None:
            raise rules.taken(msgspec.convert(before.value, PathValue).file_id, path)
        return OtherChange(place, None, Write(_json(PathValue(key.name))), writer.beside("to"))

    async def _give_up(self, file: Entity, writer: EntityWriter) -> tuple[OtherChange, ...]:
        """The file's path is free; none where it is another's, as after a part of a rewind."""
        value = value_of(file)
        place = _path(file.key.agent_id, value.session_id, value.path)
        before = await self._entities.current(place)
        if before is None or msgspec.convert(before.value, PathValue).file_id != file.key.name:
            return ()
        return (OtherChange(place, before, Delete(), writer.beside("from")),)

    async def _stored(
        self, workspace: Workspace, path: str, content: FileContent | StoredContent, replaced: int
    ) -> StoredContent:
        """The content, its bytes in a blob. `Rejected(kind="too_large")`; whether there is room for what is
        stored already, whoever stored it has asked (`check_room`), once for all that it writes."""
        if isinstance(content, StoredContent):
            rules.check_size(content.size)
            return content
        size = len(content.data)
        rules.check_size(size)
        if size > replaced:
            await self.check_room(workspace.agent_id, size - replaced)
        media_type = content.media_type or media_type_of(path, content.data)
        blob = await self._blobs.put(content.data, media_type, owner=workspace.agent_id)
        await stop_point("files.stored")
        return StoredContent(blob.sha256, blob.size, media_type, content.source, content.made_from)


async def _pieces(data: BinaryIO) -> AsyncGenerator[bytes, None]:
    while piece := data.read(_PIECE):
        yield piece


def _key(workspace: Workspace, file_id: str) -> EntityKey:
    return EntityKey(workspace.agent_id, EntityKind.FILE, file_id)


def _path(agent_id: AgentId, owner: SessionId | None, path: str) -> EntityKey:
    return EntityKey(agent_id, EntityKind.PATH, path_key(owner, path))


def _json(value: FileValue | PathValue) -> Json:
    made: Json = msgspec.to_builtins(value)
    return made


def _after(changed: EntityChange) -> File:
    entity = changed.after or changed.before  # before: an earlier attempt deleted it
    assert entity is not None
    return file_of(entity)
