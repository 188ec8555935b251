"""What may be done with files, and which of them are seen. Pure; what they refuse is `Rejected`."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.files import LARGEST_FILE, FileScope, flaw_in_path
from agent_domain.files.file import File, FileRef, Workspace

_MB = 1_000_000
_ID = re.compile(r"f_[A-Za-z0-9_-]{1,62}")


def file_id_of(write_id: str) -> str:
    """The id of the file that a write makes: the same on each attempt at it."""
    return "f_" + hashlib.sha256(write_id.encode()).hexdigest()[:20]


def is_file_id(text: str) -> bool:
    """Whether it has the form of a file's id."""
    return _ID.fullmatch(text) is not None


def checked_path(path: str) -> str:
    """The path. `Rejected(kind="invalid_arguments")` for one that can't be."""
    flaw = flaw_in_path(path)
    if flaw is not None:
        raise Rejected(flaw, kind=ErrorKind.INVALID_ARGUMENTS, path="/path")
    return path


def checked_ref(ref: FileRef) -> FileRef:
    """The reference. `Rejected(kind="invalid_arguments")` unless it has an id or a path that can be."""
    if (ref.file_id is None) == (ref.path is None):
        raise Rejected("Give file_id or path, one of them", kind=ErrorKind.INVALID_ARGUMENTS)
    if ref.path is not None:
        checked_path(ref.path)
    return ref


def copied_from(file_id: str, origins: Mapping[str, str | None]) -> Iterator[str]:
    """What a fork's copy was copied from, and where that is a copy and still there, what it came from."""
    origin = origins.get(file_id)
    seen = {file_id}
    while origin is not None and origin not in seen:
        yield origin
        seen.add(origin)
        origin = origins.get(origin)


def scope_for(scope: FileScope | None, workspace: Workspace) -> FileScope:
    """The scope of a new file: the session's, where there is one and nothing else is said."""
    if scope is FileScope.SESSION and workspace.session_id is None:
        raise Rejected(
            "There is no session here: only files of the agent can be made", kind=ErrorKind.NOT_AVAILABLE
        )
    return scope or (FileScope.SESSION if workspace.session_id is not None else FileScope.AGENT)


def check_size(size: int) -> None:
    """`Rejected(kind="too_large")` for more bytes than one file may have."""
    if size > LARGEST_FILE:
        message = f"{size:,} bytes: a file has at most {LARGEST_FILE // _MB} MB"
        raise Rejected(message, kind=ErrorKind.TOO_LARGE)


def check_version(file: File, version: int | None) -> None:
    """`Rejected(kind="conflict")` where the file has moved on from the version that a write was made for."""
    if version is not None and file.version != version:
        raise Rejected(
            f"{file.path} has version {file.version} now, not {version}: read it again",
            kind=ErrorKind.CONFLICT,
            path="/version",
        )


def taken(file_id: str, path: str, path_argument: str = "/path") -> Rejected:
    """The refusal of a path that another file has."""
    return Rejected(
        f"There is a file at {path} already ({file_id}): choose another path, or write to that file",
        kind=ErrorKind.CONFLICT,
        path=path_argument,
    )


def unknown(ref: FileRef, version: int | None = None) -> Rejected:
    """The refusal of what doesn't exist, or belongs to another session or agent: nobody learns which."""
    which = f"file {ref.file_id}" if ref.file_id is not None else f"file at {ref.path}"
    at = f" with version {version}" if version is not None else ""
    argument = "/version" if version is not None else "/file_id" if ref.file_id is not None else "/path"
    return Rejected(f"There is no {which}{at}", kind=ErrorKind.NOT_FOUND, path=argument)


def check_no_folder(ref: FileRef, files: Iterable[File]) -> None:
    """`Rejected` for a path that files lie below."""
    below = f"{(ref.path or '').rstrip('/')}/"
    if ref.path is not None and any(file.path.startswith(below) for file in files):
        raise Rejected(f"{ref.path} is a folder, not a file", path="/path")


def visible(files: Iterable[File], workspace: Workspace) -> Sequence[File]:
    """The agent's and the session's files by path; a path of the session's hides the agent's."""
    seen: dict[str, File] = {}
    for file in files:
        mine = file.session_id is not None and file.session_id == workspace.session_id
        if mine or (file.scope is FileScope.AGENT and file.path not in seen):
            seen[file.path] = file
    return [seen[path] for path in sorted(seen)]
