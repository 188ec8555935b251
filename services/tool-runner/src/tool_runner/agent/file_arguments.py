"""What every tool that works with one file is called with, and what those that write it return."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from agent_contracts.errors import Rejected
from agent_contracts.files import FileScope
from agent_domain.files.file import File, FileRef
from agent_tools.tool import Arguments, Result
from tool_runner.agent.file_documents import OutputTarget

_ID = re.compile(r"f_[0-9a-f]{20}")


class OfFile(Arguments):
    """Which file: exactly one is given."""

    file_id: Annotated[str | None, Field(description="Or path.")] = None
    path: Annotated[str | None, Field(description="Or file_id.")] = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.file_id is None) == (self.path is None):
            raise ValueError("give file_id or path, one of them")
        return self

    @property
    def ref(self) -> FileRef:
        """The file."""
        return FileRef(self.file_id, self.path)


NewScope = Annotated[
    FileScope | None,
    Field(description="session (default): this one and its sub-sessions. agent: all sessions."),
]
"""Who is to see a new file."""


class AtVersion(OfFile):
    """A file to be changed."""

    version: Annotated[int | None, Field(ge=1, description="Refused if it has another by now.")] = None


class ToFile(AtVersion):
    """A file to be written: its next version, or a new file."""

    output_path: Annotated[str | None, Field(description="Of a new file, instead of a new version.")] = None

    def target(self, *, may_be_new: bool = False) -> OutputTarget:
        """Where to write."""
        return OutputTarget(self.ref, self.version, self.output_path, may_be_new)


class WrittenFile(Result):
    """The file that was written."""

    file_id: str
    path: str
    version: int
    size: int


def ref_of(text: str) -> FileRef:
    """A file that one text names: its id (`f_…`), or its path."""
    return FileRef(file_id=text) if _ID.fullmatch(text) else FileRef(path=text)


def written(file: File) -> WrittenFile:
    """The file as a tool's result."""
    return WrittenFile(**about(file))


def about(file: File) -> dict[str, Any]:
    """What a result that holds more says of the file that was written."""
    return {"file_id": file.file_id, "path": file.path, "version": file.version, "size": file.size}


@contextmanager
def at_argument(path: str) -> Iterator[None]:
    """A refusal of a file's id or path names the argument that it came from."""
    try:
        yield
    except Rejected as error:
        if error.path not in ("/path", "/file_id"):
            raise
        raise Rejected(error.message, kind=error.kind, path=path) from error
