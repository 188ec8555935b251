"""Uploads: what a person sends becomes files; under a path that is taken, the next version."""

import asyncio
from collections.abc import Sequence

import msgspec

from agent_contracts.api.files import StoredFile
from agent_contracts.api.wire import Page
from agent_contracts.blob_ref import BlobRef
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Failure, Rejected
from agent_contracts.files import LARGEST_FILE, FileScope, flaw_in_path
from agent_contracts.ids import AgentId, SessionId
from agent_domain.files.file import File, StoredContent
from agent_domain.files.files import Files
from agent_domain.files.media_types import media_type_of
from agent_platform.log.blobs.port import Blobs
from gateway.operations.files.unpacking import unpack
from gateway.operations.files.views import shown
from gateway.operations.files.writing import UPLOAD, FilePlace, FileWrites
from gateway.operations.idempotency import asked
from gateway.operations.room import AgentsWithRoom
from gateway.operations.sessions.workspaces import SessionWorkspaces
from gateway.operations.spool import Spool, StoredSpan

MOST_FILES = 2_000
"""Files of one upload."""
BEGINNING = 70_000
"""Bytes by which a file's type is told."""
_UNPACKED_AT_ONCE = 2
_STORED_AT_ONCE = 8


class UploadedFile(msgspec.Struct, frozen=True):
    """A file as it was sent, and what it was called."""

    name: str
    bytes: StoredSpan


class Destination(msgspec.Struct, frozen=True):
    """Where an upload is to go; everything may be left out.

    `path` is the one file's own, or the folder of several (also of one, where it ends with a slash).
    `extract`: what is sent are zip archives, and their files are meant.
    """

    agent_id: AgentId | None = None
    session_id: SessionId | None = None
    scope: FileScope | None = None
    path: str = ""
    extract: bool = False


class Uploads:
    """Stores what people send."""

    def __init__(
        self,
        blobs: Blobs,
        files: Files,
        writes: FileWrites,
        workspaces: SessionWorkspaces,
        agents: AgentsWithRoom,
    ) -> None:
        self._blobs = blobs
        self._files = files
        self._writes = writes
        self._workspaces = workspaces
        self._agents = agents
        self._unpacking = asyncio.Semaphore(_UNPACKED_AT_ONCE)

    async def take(
        self, sent: Sequence[UploadedFile], to: Destination, room: Spool, key: str | None
    ) -> Page[StoredFile]:
        """Store the files. All is checked, and all bytes are stored, before the first of them is there.

        `Rejected`: `invalid_request` (a path that can't be, a broken archive, no session for `session`),
        `not_found` (no such session or agent), `too_large`, `quota_exceeded`. Where it fails half-way,
        `stored` of the details are the files that were stored; the same request again stores the rest.
        """
        agent_id, session_id = await self._owner(to)
        named = _placed(await self._unpacked(sent, room) if to.extract else sent, to)
        places = [FilePlace(agent_id, session_id, one.name) for one in named]
        size = sum(one.bytes.size for one in named)
        await self._agents.require(agent_id, size)
        replaced = await self._writes.replaced(agent_id, places)
        await self._files.check_room(agent_id, max(0, size - replaced))
        contents = await self._all_stored(named, agent_id)
        digest = [[one.name, content.blob] for one, content in zip(named, contents, strict=True)]
        request = asked(key, [agent_id, session_id, digest])
        found = await self._writes.put_all(list(zip(places, contents, strict=True)), request)
        stored = [shown(agent_id, one) for one in found if isinstance(one, File)]
        for failed in found:
            if isinstance(failed, Failure):
                raise _with_stored(failed, stored, len(named))
            if isinstance(failed, BaseException):
                raise failed
        return Page[StoredFile](items=stored)

    async def _owner(self, to: Destination) -> tuple[AgentId, SessionId | None]:
        """Whose the files will be. Without a scope, the session's, if one is named."""
        if to.session_id is None:
            if to.scope is FileScope.SESSION:
                raise Rejected(
                    "Files of a session need its `session_id`: create the session first",
                    kind="invalid_request",
                )
            agent_id = to.agent_id or DEFAULT_AGENT
            return agent_id, None
        workspace = await self._workspaces.of(to.session_id)
        if to.agent_id not in (None, workspace.agent_id):
            raise Rejected(
                f"Session {to.session_id} is one of agent {workspace.agent_id}", kind="invalid_request"
            )
        return workspace.agent_id, None if to.scope is FileScope.AGENT else workspace.session_id

    async def _unpacked(self, archives: Sequence[UploadedFile], room: Spool) -> list[UploadedFile]:
        async with self._unpacking:
            return [
                UploadedFile(one.path, one.bytes)
                for archive in archives
                for one in await asyncio.to_thread(unpack, archive.bytes, room)
            ]

    async def _all_stored(self, files: Sequence[UploadedFile], owner: AgentId) -> list[StoredContent]:
        stored: list[StoredContent] = []
        for start in range(0, len(files), _STORED_AT_ONCE):
            some = (self._stored(one, owner) for one in files[start : start + _STORED_AT_ONCE])
            stored += await asyncio.gather(*some)
        return stored

    async def _stored(self, file: UploadedFile, owner: AgentId) -> StoredContent:
        media_type = media_type_of(file.name, file.bytes.read(0, BEGINNING))
        blob: BlobRef = await self._blobs.put_stream(file.bytes.pieces(), media_type, owner=owner)
        return StoredContent(blob.sha256, blob.size, media_type, UPLOAD)


def _placed(files: Sequence[UploadedFile], to: Destination) -> list[UploadedFile]:
    """The files under the paths that they will have."""
    if not files:
        raise Rejected("No file was sent: send each as a part named `file`", kind="invalid_request")
    if len(files) > MOST_FILES:
        raise Rejected(f"An upload may have at most {MOST_FILES:,} files", kind="too_large")
    folder = to.path.removesuffix("/")
    if folder and not to.path.endswith("/") and len(files) == 1 and not to.extract:
        placed = [UploadedFile(folder, files[0].bytes)]
    else:
        placed = [UploadedFile(f"{folder}/{one.name}" if folder else one.name, one.bytes) for one in files]
    seen: set[str] = set()
    for one in placed:
        flaw = flaw_in_path(one.name) or ("it is there twice" if one.name in seen else None)
        if flaw is not None:
            raise Rejected(f"{one.name[:200]!r}: {flaw}", kind="invalid_request", path="/path")
        seen.add(one.name)
    return placed


def too_large(name: str) -> Rejected:
    """The refusal of a file with too many bytes."""
    return Rejected(
        f"{name[:200]!r} has more than {LARGEST_FILE // 1_000_000} MB, the most of a file", kind="too_large"
    )


def _with_stored(failure: Failure, stored: Sequence[StoredFile], count: int) -> Failure:
    """The failure, which says as well what was stored before it."""
    if stored:
        failure.message += (
            f". Of the {count} files {len(stored)} were stored, see `stored`; send all again for the rest"
        )
        failure.details = {**(failure.details or {}), "stored": [msgspec.to_builtins(one) for one in stored]}
    return failure
