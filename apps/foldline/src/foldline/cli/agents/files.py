"""`foldline files`."""

import hashlib
import os
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, BinaryIO, NamedTuple

import msgspec
import typer

from agent_contracts.api.files import StoredFile
from agent_contracts.api.versions import Version
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Rejected, Transient
from foldline.cli.client import Gateway, gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id, session_id
from foldline.cli.output import JsonOption, console, done, failures_shown
from foldline.cli.uploads import local_files, progress, send_files

_PAGE = 1000
_STANDARD_OUTPUT = "-"


class FileAction(StrEnum):
    """The action to take."""

    LS = "ls"
    GET = "get"
    PUT = "put"
    VERSIONS = "versions"
    PROMOTE = "promote"
    RM = "rm"


def files(
    action: Annotated[FileAction, typer.Argument(help="The action to take.")] = FileAction.LS,
    names: Annotated[
        list[str] | None,
        typer.Argument(help="put: local files and folders. Otherwise: an agent's file, by path or id."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            help="get: the file to write; - is standard output. put: the target path, or a folder/."
        ),
    ] = None,
    version: Annotated[int | None, typer.Option(help="get: download an earlier version.")] = None,
    session: Annotated[str | None, typer.Option(help="Include this session's files.")] = None,
    agent: Annotated[str | None, typer.Option(help="The agent (default: the session's).")] = None,
    extract: Annotated[bool, typer.Option(help="put: unpack zip archives.")] = False,
    force: Annotated[bool, typer.Option(help="get: overwrite an existing file.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List, download, upload, promote or remove the files of an agent and its sessions.

    Uploading to the path of an existing file creates its next version. --session selects a session's files.
    """
    with failures_shown(), gateway() as door:
        of = _Of(door, session, agent)
        match action:
            case FileAction.LS:
                _list(of, names[0] if names else "", as_json)
            case FileAction.PUT:
                if not names:
                    raise Rejected("Name what to send: foldline files put FILE …", kind="invalid_request")
                fields = of.fields | ({"path": to} if to else {}) | ({"extract": "true"} if extract else {})
                _say(send_files(door, local_files([Path(name) for name in names]), fields), as_json)
            case _:
                _of_one(of, (action, names or []), _Getting(to, version, force), as_json)


class _Getting(NamedTuple):
    """How a file is fetched: where to, which version, and whether it may take another one's place."""

    to: str | None
    version: int | None
    force: bool


class _Of:
    """Whose files are meant."""

    def __init__(self, door: Gateway, session: str | None, agent: str | None) -> None:
        self.door = door
        self.session_id = session_id(door, session) if session else None
        if agent is not None:
            self.agent_id = agent_id(door, agent)
        elif self.session_id is not None:
            self.agent_id = str(door.get(f"/sessions/{self.session_id}")["agent_id"])
        else:
            self.agent_id = DEFAULT_AGENT

    @property
    def fields(self) -> dict[str, str]:
        """To whom files are sent."""
        session = {"session_id": self.session_id} if self.session_id else {}
        return {"agent_id": self.agent_id, **session}

    @property
    def path(self) -> str:
        """Where they are."""
        return f"/agents/{self.agent_id}/files"

    def find(self, name: str) -> StoredFile:
        """The file of this id or path; a session's hides the agent's. `Rejected` for none, or for several."""
        found = [one for one in self.all(name) if one.path == name]
        if not found and name.startswith("f_"):
            return self.door.read(f"{self.path}/{name}", StoredFile)
        if self.session_id is not None:
            found = [one for one in found if one.session_id] or found
        if len(found) == 1:
            return found[0]
        if found:
            shown = ", ".join(f"{one.file_id} ({one.session_id or 'the agent'})" for one in found)
            raise Rejected(
                f"Several files are at {name}: {shown}. Name one by its id, or say --session",
                kind="invalid_request",
            )
        raise Rejected(f"{self.agent_id} has no file at {name}. Try: foldline files ls", kind="not_found")

    def all(self, prefix: str) -> list[StoredFile]:
        """All whose paths begin so."""
        found = self.door.every(self.path, session_id=self.session_id, prefix=prefix, limit=_PAGE)
        return [msgspec.convert(one, StoredFile) for one in found]


def _of_one(of: _Of, what: tuple[FileAction, list[str]], getting: _Getting, as_json: bool) -> None:
    action, names = what
    if len(names) != 1:
        raise Rejected(f"Name one file: foldline files {action} PATH", kind="invalid_request")
    version = getting.version if action is FileAction.GET else None
    if version is not None and names[0].startswith("f_"):
        path = f"{of.path}/{names[0]}/versions/{version}"  # also of one that was deleted
        file = of.door.read(path, StoredFile)
    else:
        file = of.find(names[0])
    path = f"{of.path}/{file.file_id}"
    match action:
        case FileAction.GET:
            if version is not None:
                file = of.door.read(f"{path}/versions/{version}", StoredFile)
            _get(of.door, file, getting)
        case FileAction.VERSIONS:
            _versions(of.door, path, as_json)
        case FileAction.PROMOTE:
            _say([msgspec.convert(of.door.post(f"{path}:promote"), StoredFile)], as_json)
        case FileAction.RM:
            done(of.door.delete(path), f"{file.path} is deleted; its versions stay: {file.file_id}", as_json)


def _list(of: _Of, prefix: str, as_json: bool) -> None:
    _say(of.all(prefix), as_json)


_COLUMNS = ("path", "#size", "type", "version", "file", "session")


def _say(stored: Sequence[StoredFile], as_json: bool) -> None:
    none = "No files. Send one: foldline files put FILE"
    listed(stored, _COLUMNS, _row, none=none, as_json=as_json)


def _row(one: StoredFile) -> tuple[str, ...]:
    size, version = f"{one.size:,} bytes", f"version {one.version}"
    return one.path, size, one.media_type, version, one.file_id, one.session_id or ""


def _versions(door: Gateway, path: str, as_json: bool) -> None:
    pages = door.every(f"{path}/versions", limit=200)
    found = [msgspec.convert(one, Version) for one in pages]
    columns = ("version", "at", "by", "event")
    listed(found, columns, _version, none="No versions.", as_json=as_json)


def _version(one: Version) -> tuple[str, ...]:
    what = "deleted" if one.deleted else f"version {one.version}"
    by = f"session {one.session_id}" if one.session_id else one.actor
    return what, one.written_at, by, f"event {one.sequence}"


def _get(door: Gateway, file: StoredFile, getting: _Getting) -> None:
    """Fetch a file. It gets its name once it is whole."""
    to = getting.to
    if to == _STANDARD_OUTPUT:
        _fetch(door, file, sys.stdout.buffer)
        return
    target = Path(to) if to else Path(file.path.rpartition("/")[2])
    if target.is_dir():
        target /= file.path.rpartition("/")[2]
    if target.exists() and not getting.force:
        raise Rejected(
            f"{target} exists already: choose another place with --to, or overwrite it with --force",
            kind="bad_file",
        )
    coming = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with coming.open("xb") as written:
            _fetch(door, file, written)
        coming.replace(target)
    except OSError as error:
        raise Rejected(f"{target} can't be written: {error.strerror}", kind="bad_file") from error
    finally:
        coming.unlink(missing_ok=True)
    console.print(f"{target}  {file.size:,} bytes", highlight=False, soft_wrap=True)


def _fetch(door: Gateway, file: StoredFile, into: BinaryIO) -> None:
    digest = hashlib.sha256()
    with progress(file.size) as bar:
        task = bar.add_task(file.path, total=file.size)
        for piece in door.pieces(f"/files/{file.file_id}/content", version=file.version):
            digest.update(piece)
            into.write(piece)
            bar.advance(task, len(piece))
    into.flush()
    if digest.hexdigest() != file.sha256:
        raise Transient(f"{file.path} was changed while it came: try again", kind="changed")
