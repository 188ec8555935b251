"""Paths below the workspace, as LibrAgent's tools are given them. Pure."""

import fnmatch
from collections.abc import Iterable

import msgspec

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.files import flaw_in_path
from agent_domain.files.file import File


class PathEntry(msgspec.Struct, frozen=True, order=True):
    """A folder, which is there as long as a file is in it, or a file with its `size`."""

    path: str
    is_folder: bool
    size: int = 0
    file_id: str | None = None

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


def file_path(path: str, argument: str = "/path") -> str:
    """A file's path. `Rejected` for one that leads out of the workspace, or can't be."""
    relative = path.removeprefix("./")
    flaw = flaw_in_path(relative)
    if flaw is not None:
        raise Rejected(f"{path[:200]!r}: {flaw}", kind=ErrorKind.INVALID_ARGUMENTS, path=argument)
    return relative


def folder_path(path: str | None, argument: str = "/path") -> str:
    """A folder's path without a slash at its end; empty for the workspace itself."""
    relative = (path or "").removeprefix("./").rstrip("/")
    return "" if relative in ("", ".") else file_path(relative, argument)


def below(files: Iterable[File], folder: str, depth: int) -> list[PathEntry]:
    """The folders and files in a folder, so many levels deep, by path."""
    found: dict[str, PathEntry] = {}
    begin = f"{folder}/" if folder else ""
    for file in files:
        if not file.path.startswith(begin):
            continue
        parts = file.path[len(begin) :].split("/")
        for level in range(1, min(len(parts) - 1, depth) + 1):
            path = begin + "/".join(parts[:level])
            found.setdefault(path, PathEntry(path, True))
        if len(parts) <= depth:
            found[file.path] = PathEntry(file.path, False, file.size, file.file_id)
    return sorted(found.values())


def fits(entry: PathEntry, pattern: str, folder: str) -> bool:
    """Whether a pattern such as `*.py` or `src/*.py` fits the name, or the path below the folder."""
    path = entry.path[len(folder) + 1 :] if folder else entry.path
    return fnmatch.fnmatchcase(entry.name, pattern) or fnmatch.fnmatchcase(path, pattern)


def require_folder(files: Iterable[File], folder: str) -> None:
    """`Rejected(kind="not_found")` where no file is in it."""
    if folder and not any(file.path.startswith(f"{folder}/") for file in files):
        raise Rejected(f"there is no folder {folder!r}", kind=ErrorKind.NOT_FOUND, path="/path")
