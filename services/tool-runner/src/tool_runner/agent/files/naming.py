"""Paths of files that nobody gave one: a name that says what it is, and is free."""

import re
from collections.abc import Iterator
from email.message import Message
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.files import FileScope, flaw_in_path
from agent_domain.files.file import Content, File
from agent_domain.files.media_types import ending_of
from agent_tools.ports import AgentFiles
from egress.fetching import FetchResponse

_UNWANTED = re.compile(r"[\x00-\x1f\x7f\\/:*?\"<>|]+")
_LONGEST = 120
_MOST_TRIED = 1000


def name_of(answer: FetchResponse) -> str:
    """How what was fetched is called: by the header that says so, else by its address."""
    header = Message()
    header["content-disposition"] = answer.headers.get("content-disposition", "")
    try:
        said = header.get_filename()
    except (UnicodeError, ValueError, LookupError):
        said = None
    address = urlsplit(answer.url)
    name = said or unquote(PurePosixPath(address.path).name) or address.hostname or ""
    name = _UNWANTED.sub("_", name.replace("\\", "/").rpartition("/")[2]).strip(" .")
    stem, dot, ending = name.rpartition(".")
    if not dot:
        kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        name, ending = f"{name}{ending_of(kind)}", ""
    elif len(name) > _LONGEST:
        name = f"{stem[: _LONGEST - 20]}.{ending[:18]}"
    name = "".join(character for character in name[:_LONGEST] if character.isprintable())
    return name if flaw_in_path(name) is None else "download"


async def create_at_free_path(
    files: AgentFiles, path: str, content: Content, scope: FileScope | None = None
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
