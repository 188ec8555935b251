"""Files."""

from typing import Annotated, Literal

import msgspec

from agent_contracts.api.sources import ProvenanceSource
from agent_contracts.api.wire import Current, Page, RequestBody, ResponseBody
from agent_contracts.files import LONGEST_PATH, FileSource
from agent_contracts.timestamp import Timestamp


class StoredFile(ResponseBody, frozen=True, kw_only=True):
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
    updated_at: Timestamp
    made_from: str | None
    outside: list[ProvenanceSource]


class FoundPicture(ResponseBody, frozen=True, kw_only=True):
    """A picture from elsewhere: `file` is null until somebody loaded it. `allowed`: its host is one of
    `FOLDLINE_PICTURE_HOSTS`, so that a client may load it unasked."""

    file: StoredFile | None
    allowed: bool


class FilePage(Page[StoredFile], frozen=True, kw_only=True):
    """A page of files, by path. `count` and `bytes` are those of all files that were asked for, on every
    page."""

    count: int
    bytes: int


LONGEST_URL = 4_000
"""Of a picture from elsewhere."""


class RenameFile(RequestBody, frozen=True, kw_only=True):
    """A file's other path."""

    path: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_PATH)]
    version: Current = None


class LoadPicture(RequestBody, frozen=True, kw_only=True):
    """Where it is."""

    url: Annotated[str, msgspec.Meta(max_length=LONGEST_URL, description="https://…")]
