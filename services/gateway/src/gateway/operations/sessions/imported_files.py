"""The files of an imported session: in its workspace before its first event, so that it is never without."""

from collections.abc import Iterable

import msgspec

from agent_contracts.entities import EntityKind
from agent_contracts.envelope import Actor
from agent_contracts.errors import Rejected
from agent_contracts.files import FileValue, PathValue, path_key
from agent_contracts.ids import SessionId
from agent_contracts.queries import ImportCommand
from agent_contracts.session_file import Head, WorkspaceFile
from agent_contracts.subjects import any_agents_session_filter
from agent_domain.files.rules import file_id_of
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Changes, Entity, EntityKey, Other, Write, Writer
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.port import Log


class ImportedFiles:
    """Writes them under the ids that they had; under others where these are taken, and is then found by the
    old ones as a fork's copies are."""

    def __init__(self, log: Log, entities: Entities, blobs: Blobs) -> None:
        self._log = log
        self._entities = entities
        self._blobs = blobs

    async def take(self, files: Iterable[WorkspaceFile], command: ImportCommand, head: Head) -> list[str]:
        """Make the files, unless a session is there already that this import didn't make; the paths of those
        whose bytes are not here. A repeat makes each once."""
        if await self._is_anothers(command, head):
            return []
        left_out: list[str] = []
        for file in files:
            if not await self._is_stored(file.value.blob):
                left_out.append(file.value.path)
                continue
            await self._make(file, command)
        return left_out

    async def _make(self, file: WorkspaceFile, command: ImportCommand) -> None:
        was = file.value.session_id
        assert was is not None  # checked when the file was read
        owner = command.ids.get(was, was)
        value = msgspec.structs.replace(file.value, session_id=owner)
        place = EntityKey(command.agent_id, EntityKind.PATH, path_key(owner, value.path))
        for file_id in (file.file_id, file_id_of(f"{owner}:{file.file_id}")):
            copy = value if file_id == file.file_id else _forked(value, file.file_id)
            writer = Writer(f"import.{command.file[:16]}.{owner}.{file_id}", Actor.USER, owner, since=0)
            if await self._written(command, file_id, copy, place, writer):
                return

    async def _written(
        self, command: ImportCommand, file_id: str, value: FileValue, place: EntityKey, writer: Writer
    ) -> bool:
        """Whether it is there, or its path is another's, which then stays."""
        key = EntityKey(command.agent_id, EntityKind.FILE, file_id)
        taken = False

        async def decide(before: Entity | None) -> Changes:
            nonlocal taken
            taken = await self._entities.current(place) is not None
            if before is not None or taken:
                return Changes(None)
            path = Other(place, None, Write(_json(PathValue(file_id))), writer.beside("to"))
            return Changes(Write(_json(value)), (path,))

        changed = await self._entities.change_together(key, writer, decide)
        return changed.sequence is not None or taken

    async def _is_anothers(self, command: ImportCommand, head: Head) -> bool:
        for session_id in head.sessions:
            here: SessionId = command.ids.get(session_id, session_id)
            async for message in self._log.read(any_agents_session_filter(here)):
                if message.envelope is None or message.envelope.imported != command.file:
                    return True
                break
        return False

    async def _is_stored(self, sha256: str) -> bool:
        try:
            await self._blobs.size(sha256)
        except Rejected:
            return False
        return True


def _forked(value: FileValue, origin: str) -> FileValue:
    return msgspec.structs.replace(value, forked_from=origin)


def _json(value: FileValue | PathValue) -> object:
    made: object = msgspec.to_builtins(value)
    return made
