"""Files as people see them."""

from typing import Literal

from agent_contracts.files import FileScope, FileSource
from agent_domain.files.file import File
from gateway.queries.sources import OutsideSource, sources
from gateway.queries.view import View


class StoredFile(View):
    """A file at one version. `sha256` names its bytes, and is the ETag of its content.

    `session_id`: the session at the top of the tree in whose workspace it is; null for a file of the agent.
    `outside`: where material from outside came from that may be in it; an upload is such material itself.
    """

    file_id: str
    path: str
    media_type: str
    size: int
    version: int
    agent_id: str
    scope: Literal["session", "agent"]
    session_id: str | None
    sha256: str
    source: FileSource
    updated_at: str
    made_from: str | None
    outside: list[OutsideSource]


class FoundPicture(View):
    """A picture from elsewhere: `file` is null until somebody loaded it. `allowed`: its host is one of
    `FOLDLINE_PICTURE_HOSTS`, so that a client may load it unasked."""

    file: StoredFile | None
    allowed: bool


class FilePage(View):
    """Files by path. `after`: pass it back for the next page; null: there are no more. `bytes` are those of
    all files that were asked for, on every page."""

    files: list[StoredFile]
    after: str | None
    count: int
    bytes: int


class UploadedFiles(View):
    """What an upload stored, in the order in which it came."""

    files: list[StoredFile]


def shown(agent_id: str, file: File) -> StoredFile:
    """A file as people see it."""
    return StoredFile(
        file_id=file.file_id,
        path=file.path,
        media_type=file.media_type,
        size=file.size,
        version=file.version,
        agent_id=agent_id,
        scope="agent" if file.scope is FileScope.AGENT else "session",
        session_id=file.session_id,
        sha256=file.blob,
        source=file.source,
        updated_at=file.updated_at,
        made_from=file.made_from,
        outside=sources(file.outside),
    )
