"""What the tools of files take and return."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from agent_domain.files.file import File
from agent_tools.tool import Result
from foldline_libragent.files.paths import PathEntry

Path = Annotated[str, Field(min_length=1, max_length=1_000, description="Relative to the workspace.")]
Folder = Annotated[str | None, Field(max_length=1_000, description="Relative to the workspace; else all.")]
MOST_LISTED = 1_000


class LibragentWrittenFile(Result):
    """The file as it is now."""

    file_id: str
    path: str
    version: int
    size: int


class ListedEntry(Result):
    """A folder or a file; `size` in bytes."""

    name: str
    path: str
    type: str
    size: int | None = None
    file_id: str | None = None


def listed(entries: Sequence[PathEntry]) -> list[ListedEntry]:
    """The first `MOST_LISTED` of them as results."""
    return [
        ListedEntry(
            name=one.name,
            path=one.path,
            type="directory" if one.is_folder else "file",
            size=None if one.is_folder else one.size,
            file_id=one.file_id,
        )
        for one in entries[:MOST_LISTED]
    ]


def written(file: File) -> LibragentWrittenFile:
    """A file as a result."""
    return LibragentWrittenFile(file_id=file.file_id, path=file.path, version=file.version, size=file.size)
