"""Writes to files in the name of a person: each once per idempotency key."""

import asyncio
from collections.abc import Mapping, Sequence

import msgspec

from agent_contracts.entities.entity import EntityEvent, EntityKind
from agent_contracts.errors import Conflict, Rejected
from agent_contracts.files import FileScope, FileSource, PathValue, path_key
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.codec import RecordedEvent
from agent_domain.files.file import File, FileRef, StoredContent, Workspace, file_of
from agent_domain.files.files import Files, NewFile
from agent_domain.files.new_files import MOST_AT_ONCE, NewStored, make_together
from agent_domain.files.rules import file_id_of
from agent_platform.entities.entity import EntityKey, EntityWriter, entity_from
from gateway.operations.agents.edits import Edits
from gateway.operations.idempotency import IdempotentRequest

_ATTEMPTS = 10
_AT_ONCE = 8
"""Files that are written one by one."""
UPLOAD: FileSource = "upload"


class FilePlace(msgspec.Struct, frozen=True):
    """Where a file is to be: a path in a session's workspace, or (without a session) in the agent's."""

    agent_id: AgentId
    session_id: SessionId | None
    path: str

    @property
    def workspace(self) -> Workspace:
        """Who sees it."""
        return Workspace(self.agent_id, self.session_id)


class FileWrites:
    """Writes files as a person would. What an earlier request of the same key did is answered again."""

    def __init__(self, edits: Edits, files: Files) -> None:
        self._edits = edits
        self._files = files

    async def put(self, place: FilePlace, content: StoredContent, request: IdempotentRequest) -> File:
        """Make the file, or the next version of the one that exists."""
        named = path_key(place.session_id, place.path)
        writer = self._writer(request, place.agent_id, "upload", named)
        made = EntityKey(place.agent_id, EntityKind.FILE, file_id_of(writer.id))
        done = await self.done_before(made, writer, request)
        if done is not None:
            return done
        for _ in range(_ATTEMPTS):
            file_id = await self._file_at(place, named)
            try:
                if file_id is None:
                    scope = FileScope.AGENT if place.session_id is None else FileScope.SESSION
                    return await self._files.create(
                        place.workspace, NewFile(place.path, content, scope), writer
                    )
                return await self._rewrite(place.workspace, file_id, content, (request, writer))
            except Rejected as refused:
                expected = "conflict" if file_id is None else "not_found"
                if refused.kind != expected:
                    raise
        raise Conflict(f"{place.path} was made, changed and deleted by others meanwhile: try again")

    async def put_all(
        self, contents: Sequence[tuple[FilePlace, StoredContent]], request: IdempotentRequest
    ) -> Sequence[File | BaseException]:
        """As `put` for each of these places of one workspace, in their order; what failed is among them.

        New files are made many at once, all or none.
        """
        done: dict[FilePlace, File | BaseException] = {}
        new = await self._new([place for place, _ in contents], request)
        for start in range(0, len(contents), MOST_AT_ONCE):
            batch = contents[start : start + MOST_AT_ONCE]
            together = [one for one in batch if one[0] in new]
            drafts = [NewStored(place.path, content, new[place]) for place, content in together]
            made = await make_together(self._edits.entities, batch[0][0].workspace, drafts)
            done |= {place: file for (place, _), file in zip(together, made or (), strict=made is not None)}
        rest = [one for one in contents if one[0] not in done]
        for start in range(0, len(rest), _AT_ONCE):
            some = rest[start : start + _AT_ONCE]
            found = await asyncio.gather(
                *(self.put(place, content, request) for place, content in some), return_exceptions=True
            )
            done |= {place: file for (place, _), file in zip(some, found, strict=True)}
            if any(isinstance(one, BaseException) for one in found):
                break
        return [done[place] for place, _ in contents if place in done]

    async def _new(
        self, places: Sequence[FilePlace], request: IdempotentRequest
    ) -> Mapping[FilePlace, EntityWriter]:
        """Of these places those that are free, and who makes the file there; without those at which this very
        request made one before."""
        entities = self._edits.entities
        writers = {
            one: self._writer(request, one.agent_id, "upload", path_key(one.session_id, one.path))
            for one in places
        }
        made = {
            one: EntityKey(one.agent_id, EntityKind.FILE, file_id_of(writer.id))
            for one, writer in writers.items()
        }
        before = await entities.ever_written(list(made.values()))
        paths = [
            EntityKey(one.agent_id, EntityKind.PATH, path_key(one.session_id, one.path)) for one in places
        ]
        taken = await entities.all_as_of(paths, None)
        return {
            place: writers[place]
            for place, holder in zip(places, taken, strict=True)
            if holder is None and made[place] not in before
        }

    async def replaced(self, agent_id: AgentId, places: Sequence[FilePlace]) -> int:
        """How many bytes the files have that are at these places now."""
        entities = self._edits.entities
        named = [EntityKey(agent_id, EntityKind.PATH, path_key(one.session_id, one.path)) for one in places]
        taken = [one for one in await entities.all_as_of(named, None) if one is not None]
        if not taken:
            return 0
        ids = (msgspec.convert(one.value, PathValue).file_id for one in taken)
        keys = [EntityKey(agent_id, EntityKind.FILE, file_id) for file_id in ids]
        return sum(file_of(one).size for one in await entities.all_as_of(keys, None) if one is not None)

    def writer(self, request: IdempotentRequest, key: EntityKey, what: str) -> EntityWriter:
        """A person who asks for one change of one file."""
        return self._writer(request, key.subject, what)

    async def _rewrite(
        self,
        workspace: Workspace,
        file_id: str,
        content: StoredContent,
        by: tuple[IdempotentRequest, EntityWriter],
    ) -> File:
        request, writer = by
        key = EntityKey(workspace.agent_id, EntityKind.FILE, file_id)
        done = await self.done_before(key, writer, request)
        return done or await self._files.write(workspace, FileRef(file_id=file_id), content, writer)

    async def done_before(
        self, key: EntityKey, writer: EntityWriter, request: IdempotentRequest
    ) -> File | None:
        """What this key made of the file before, however long ago; see `event_before`."""
        recorded = await self.event_before(key, writer, request)
        entity = entity_from(recorded, key.agent_id) if recorded is not None else None
        return file_of(entity) if entity is not None else None

    async def event_before(
        self, key: EntityKey, writer: EntityWriter, request: IdempotentRequest
    ) -> RecordedEvent[EntityEvent] | None:
        """The event by which this key changed the file before; None if it didn't.

        `Rejected(kind="idempotency_mismatch")` if that was asked for something else.
        """
        if request.key is None:
            return None
        async for recorded in self._edits.entities.versions(key):
            if recorded.envelope.id == writer.id:
                request.check_same(recorded.envelope.request)
                return recorded
        return None

    def _writer(self, request: IdempotentRequest, *scope: str) -> EntityWriter:
        """`since` is left out: whether it was done before is looked up in the file's own versions."""
        return msgspec.structs.replace(self._edits.writer(request, *scope), since=None)

    async def _file_at(self, place: FilePlace, named: str) -> str | None:
        taken = await self._edits.entities.current(EntityKey(place.agent_id, EntityKind.PATH, named))
        return msgspec.convert(taken.value, PathValue).file_id if taken is not None else None
