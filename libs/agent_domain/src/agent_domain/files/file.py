"""A file as those see it who work with it, and as its entity holds it. Pure."""

import msgspec

from agent_contracts.files import FileScope, FileSource, FileValue
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.outside import Sources, joined, placed, source
from agent_platform.entities.entity import Entity


class File(msgspec.Struct, frozen=True):
    """A version of a file, without its bytes; `updated_at` is when it was written (RFC 3339).

    `session_id` is whose workspace it is in, None for a file of the agent. `outside` is where material from
    outside came from that may be in it: an upload is such material itself.
    """

    file_id: str
    path: str
    media_type: str
    size: int
    version: int
    scope: FileScope
    blob: str
    source: FileSource
    updated_at: str
    made_from: str | None = None
    session_id: SessionId | None = None
    forked_from: str | None = None
    outside: Sources = ()


class FileRef(msgspec.Struct, frozen=True):
    """Which file: by id, or by path (the session's own hides the agent's). Exactly one is given."""

    file_id: str | None = None
    path: str | None = None


class FileContent(msgspec.Struct, frozen=True):
    """What a file is to hold. Without `media_type`, it is told by the path and the bytes."""

    data: bytes
    source: FileSource = "tool"
    media_type: str | None = None
    made_from: str | None = None


class StoredContent(msgspec.Struct, frozen=True):
    """What a file is to hold whose bytes are stored already, under their SHA-256 `blob`, after it was asked
    whether the agent has room for them (`Files.check_room`)."""

    blob: str
    size: int
    media_type: str
    source: FileSource
    made_from: str | None = None


class Workspace(msgspec.Struct, frozen=True):
    """Where files are seen and made: the agent's, and those of the session at the top of a tree (None: only
    the agent's)."""

    agent_id: AgentId
    session_id: SessionId | None = None

    def sees(self, value: FileValue) -> bool:
        """Whether a file is one of them."""
        return value.scope is FileScope.AGENT or (
            self.session_id is not None and value.session_id == self.session_id
        )


def value_of(entity: Entity) -> FileValue:
    """What a file's entity says."""
    return msgspec.convert(entity.value, FileValue)


def outside_of(entity: Entity) -> Sources:
    """Where material in a file came from: what its writer had, and the file itself, if it was sent in."""
    value = value_of(entity)
    if value.source not in ("upload", "web"):
        return entity.outside
    itself = source("file", value.path)
    return joined(entity.outside, placed((itself,), str(entity.sequence), value.session_id))


def file_of(entity: Entity) -> File:
    """A file's entity as a file."""
    value = value_of(entity)
    return File(
        file_id=entity.key.name,
        path=value.path,
        media_type=value.media_type,
        size=value.size,
        version=entity.version,
        scope=value.scope,
        blob=value.blob,
        source=value.source,
        updated_at=entity.time,
        made_from=value.made_from,
        session_id=value.session_id,
        forked_from=value.forked_from,
        outside=outside_of(entity),
    )
