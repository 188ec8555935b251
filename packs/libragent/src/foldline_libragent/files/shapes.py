"""What the tools of files take and return."""

from typing import Annotated

from pydantic import Field

from agent_domain.files.file import File
from agent_tools.tool import Result

Path = Annotated[str, Field(min_length=1, max_length=1_000, description="Relative to the workspace.")]
Folder = Annotated[str | None, Field(max_length=1_000, description="Relative to the workspace; else all.")]


class WrittenFile(Result):
    """The file as it is now."""

    file_id: str
    path: str
    version: int
    size: int


class Listed(Result):
    """A folder or a file; `size` in bytes."""

    name: str
    path: str
    type: str
    size: int | None = None
    file_id: str | None = None


def written(file: File) -> WrittenFile:
    """A file as a result."""
    return WrittenFile(file_id=file.file_id, path=file.path, version=file.version, size=file.size)
