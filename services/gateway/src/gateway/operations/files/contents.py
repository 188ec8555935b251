"""The bytes of files, by a file's id alone."""

from collections.abc import AsyncGenerator

import msgspec

from agent_contracts.api.versions import VersionTarget
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_contracts.log.subjects import anyones_entity, owner_of
from agent_domain.files.file import File, file_of
from agent_domain.files.rules import is_file_id
from agent_platform.entities.entity import EntityKey
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.port import Log
from gateway.operations.agents.edits import Edits
from gateway.operations.ports import KnownAgents


class OwnedFile(msgspec.Struct, frozen=True):
    """A file at one version, and whose it is."""

    agent_id: AgentId
    file: File


class FileContents:
    """Finds files whoever's they are, and reads them."""

    def __init__(self, log: Log, edits: Edits, blobs: Blobs, agents: KnownAgents) -> None:
        self._log = log
        self._edits = edits
        self._blobs = blobs
        self._agents = agents

    async def find(self, file_id: str, version: int | None = None) -> OwnedFile:
        """The file as it is, or as an earlier version, also one of a file that was deleted since.

        `Rejected(kind="not_found")`: there is no such file or version.
        """
        for agent_id in await self._owners(file_id):
            await self._agents.require(agent_id)
            key = EntityKey(agent_id, EntityKind.FILE, file_id)
            if version is not None:
                return OwnedFile(
                    agent_id, file_of(await self._edits.find(key, VersionTarget(version=version)))
                )
            found = await self._edits.entities.current(key)
            if found is not None:
                return OwnedFile(agent_id, file_of(found))
        raise Rejected(f"There is no file {file_id}", kind="not_found")

    def read(self, file: File, start: int = 0, end: int | None = None) -> AsyncGenerator[bytes, None]:
        """The bytes from `start` up to but without `end`, in pieces."""
        return self._blobs.stream(file.blob, start, end)

    async def _owners(self, file_id: str) -> list[AgentId]:
        """The agent that has or had it, as the log says at once; none for what no file is called."""
        if not is_file_id(file_id):
            return []
        return [
            owner_of(message.subject)
            for message in await self._log.last_of_each(anyones_entity(EntityKind.FILE, file_id))
        ]
