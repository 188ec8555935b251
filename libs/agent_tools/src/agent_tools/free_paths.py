"""Paths of files that nobody gave one: a name that is free."""

from collections.abc import Iterator

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.files import FileScope
from agent_domain.files.file import File, FileContent, StoredContent
from agent_tools.ports.files import AgentFiles

_MOST_TRIED = 1000


async def create_at_free_path(
    files: AgentFiles, path: str, content: FileContent | StoredContent, scope: FileScope | None = None
) -> File:
    """Make the file at this path, or where that is taken at one like it."""
    taken = {file.path for file in await files.list()}
    for candidate in _candidates(path):
        if candidate in taken:
            continue
        try:
            return await files.create(candidate, content, scope)
        except Rejected as error:
            if error.kind != ErrorKind.CONFLICT:
                raise
    raise Rejected(f"{_MOST_TRIED} files are called like {path}: delete some", kind=ErrorKind.CONFLICT)


def _candidates(path: str) -> Iterator[str]:
    yield path
    folder, slash, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    if not stem:
        stem, dot, ending = name, "", ""
    for number in range(2, _MOST_TRIED):
        yield f"{folder}{slash}{stem}-{number}{dot}{ending}"
