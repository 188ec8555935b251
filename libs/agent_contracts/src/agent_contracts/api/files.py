"""Files."""

from typing import Annotated, Literal

import msgspec

from agent_contracts.api.sources import ProvenanceSource
from agent_contracts.api.wire import Current, Page, RequestBody, ResponseBody
from agent_contracts.files import LONGEST_PATH, FileSource
from agent_contracts.timestamp import Timestamp


class StoredFile(ResponseBody, frozen=True, kw_only=True):
    """A file at one version."""

    file_id: str
    path: str
    media_type: str
    size: int
    version: int
    """Its version, from 1."""
    agent_id: str
    """Id of the agent whose file it is."""
    scope: Literal["session", "agent"]
    """`session`: only the session and its sub-sessions see it. `agent`: every session of the agent does."""
    session_id: str | None
    """Id of the session at the top of the tree in whose workspace it is; null for a file of the agent."""
    sha256: str
    """SHA-256 of its bytes, in hex: the ETag of its content."""
    source: FileSource
    """How it came: who or what made this version."""
    updated_at: Timestamp
    made_from: str | None
    """Id of the file that it was made from; null: none."""
    outside: list[ProvenanceSource]
    """Sources of outside material that may be in it; an upload is such material itself."""


class FoundPicture(ResponseBody, frozen=True, kw_only=True):
    """A picture from elsewhere."""

    file: StoredFile | None
    """The stored picture; null until somebody loads it."""
    allowed: bool
    """Whether its host is one of `FOLDLINE_PICTURE_HOSTS`, so that clients may load it without asking."""


class FilePage(Page[StoredFile], frozen=True, kw_only=True):
    """A page of files, by path."""

    count: int
    """Number of files in the whole list."""
    bytes: int
    """Size of the files in the whole list, in bytes."""


LONGEST_URL = 4_000
"""Of a picture from elsewhere."""


class RenameFile(RequestBody, frozen=True, kw_only=True):
    """Another path for a file."""

    path: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_PATH)]
    """The path from now on, such as `notes/todo.md`."""
    version: Current = None


class LoadPicture(RequestBody, frozen=True, kw_only=True):
    """A picture to load."""

    url: Annotated[str, msgspec.Meta(max_length=LONGEST_URL)]
    """The picture's address: `https://…`."""
