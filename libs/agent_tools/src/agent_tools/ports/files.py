"""The agent's files, whole and by lines."""

from collections.abc import Awaitable, Callable, Sequence
from typing import BinaryIO, Protocol

import msgspec

from agent_contracts.files import FileScope, FileSource
from agent_domain.files.file import File, FileContent, FileRef, StoredContent


class AgentFiles(Protocol):
    """The files that the call's session sees: its workspace's and the agent's.

    `Rejected` with `not_found`, `conflict` (a path is taken; a version moved on), `invalid_arguments` (a path
    that can't be) or `too_large` (a file, or all of the agent's).
    """

    async def list(self) -> Sequence[File]:
        """All, by path."""
        ...

    async def find(self, ref: FileRef, version: int | None = None) -> File:
        """The file, as it is or as an earlier version."""
        ...

    async def read(self, file: File) -> bytes:
        """The bytes of this version."""
        ...

    async def store(self, path: str, data: BinaryIO, source: FileSource) -> StoredContent:
        """Store what is in an open file, without having it in memory, to `create` a file at this path."""
        ...

    async def create(
        self, path: str, content: FileContent | StoredContent, scope: FileScope | None = None
    ) -> File:
        """Make a file; in the session's workspace, unless said otherwise or a page calls."""
        ...

    async def write(self, ref: FileRef, content: FileContent, version: int | None = None) -> File:
        """Make the next version; with `version`, only if the file still has that one."""
        ...

    async def edit(
        self,
        ref: FileRef,
        change: Callable[[File, bytes], Awaitable[FileContent]],
        version: int | None = None,
    ) -> File:
        """Make the next version out of the current one; `change` is asked again where another write came
        between, unless `version` is given."""
        ...

    async def rename(self, ref: FileRef, path: str, version: int | None = None) -> File:
        """Give it another path; a new version."""
        ...

    async def promote(self, ref: FileRef) -> File:
        """Make a session's file one of the agent's; a new version."""
        ...

    async def delete(self, ref: FileRef, version: int | None = None) -> bool:
        """Delete it; whether it was there."""
        ...


class NewLines(msgspec.Struct, frozen=True):
    """A text in place of a file's lines from `first` to `last`, which count from 1; empty removes them."""

    first: int
    last: int
    text: str


class MatchingLine(msgspec.Struct, frozen=True):
    """A line, by its number from 1."""

    number: int
    text: str


class TextFiles(Protocol):
    """What files say, whatever their format: PDFs, documents and sheets, too."""

    async def read(self, file: File) -> str:
        """All that a file says. `Rejected` for one that has no text."""
        ...

    async def replace(self, ref: FileRef, lines: Sequence[NewLines]) -> File:
        """The next version of a plain text, with other lines in these places, which are those of before.
        `Rejected(kind="invalid_arguments")` for lines that aren't there, or that overlap."""
        ...

    async def search(self, text: str, expression: str, *, ignore_case: bool, most: int) -> list[MatchingLine]:
        """The first lines that a regular expression matches, cut if they are long. `Rejected` with
        `invalid_arguments` if it isn't one, `timeout` if it takes longer than a second."""
        ...
