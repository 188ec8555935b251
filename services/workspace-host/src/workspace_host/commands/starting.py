"""How a command becomes a process."""

import asyncio
import dataclasses
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from pathlib import Path

import msgspec

from agent_contracts.errors import ErrorKind, NotStarted, Rejected
from agent_tools.commands import LONGEST_S, Command
from workspace_host import limits
from workspace_host.isolation.isolation import Isolation, node_here, python_here, shell_here
from workspace_host.isolation.view import FolderView
from workspace_host.network.door import ENVIRONMENT, NetworkDoor

LONGEST_TEXT = 100_000
"""Bytes of a command line or a program, which is an argument of what runs it: Linux has 128 KiB for one."""


def checked(command: Command, *, anywhere: bool) -> Command:
    """The command. `Rejected(kind="invalid_arguments")` for what can't be run."""
    if not command.text.strip():
        raise _wrong("there is nothing to run", "/command")
    if len(command.text.encode(errors="replace")) > LONGEST_TEXT:
        raise _wrong(
            f"at most {LONGEST_TEXT:,} bytes: write what is longer to a file and run that", "/command"
        )
    if "\0" in command.text or "\0" in command.folder:
        raise _wrong("there must be no U+0000 in it", "/command")
    if not 0 < command.timeout_s <= LONGEST_S:
        raise _wrong(
            f"from 1 to {LONGEST_S:g} seconds; what takes longer runs in the background", "/timeout_s"
        )
    if not anywhere:
        parts = [part for part in command.folder.split("/") if part not in ("", ".")]
        if command.folder.startswith("/") or ".." in parts:
            raise _wrong("a folder of the workspace, relative to it", "/folder")
        return msgspec.structs.replace(command, folder="/".join(parts))
    return command


async def started(
    command: Command, isolation: Isolation, view: FolderView, door: NetworkDoor | None = None
) -> Process:
    """The process, which hands the door of its own network over, if it is to have one. `Rejected` where
    nothing here runs such a program, or its folder isn't there, `NotStarted` where none starts."""
    _check_folder(view, command.folder)
    inner, also = _inner(command)
    environment = dict(_environment(isolation, view))
    handed: tuple[int, ...] = ()
    if door is not None:
        python, more = python_here()
        inner, also = door.before(python, inner), (*also, *more)
        environment, handed = environment | ENVIRONMENT, (door.inherited,)
    reserved = limits.RESERVED_BY_OWN if command.own else limits.MEMORY
    seen = dataclasses.replace(view, also=also, folder=command.folder, reserved=reserved)
    try:
        with isolation.started_by(seen, inner) as (arguments, inherited):
            return await asyncio.create_subprocess_exec(
                *arguments,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                env=environment,
                cwd="/",
                start_new_session=True,
                pass_fds=(*inherited, *handed),
            )
    except OSError as error:
        raise NotStarted(f"no process can be started: {error}") from error


def _check_folder(view: FolderView, folder: str) -> None:
    at = view.files
    for part in Path(folder).parts:
        at = at / part
        if os.path.islink(at):
            return  # where it leads is for the command to see, with what it may see
        if not os.path.isdir(at):
            raise _wrong(f"there is no folder {folder[:200]!r}: make it first", "/folder")


def _inner(command: Command) -> tuple[list[str], tuple[str, ...]]:
    match command.language:
        case "shell":
            return [*shell_here(), "-c", command.text], ()
        case "python":
            python, also = python_here()
            return [python, "-u", "-c", command.text], also
        case "javascript":
            return [node_here(), "--eval", command.text], ()


def _environment(isolation: Isolation, view: FolderView) -> Mapping[str, str]:
    """All of it: nothing of the service's own goes along."""
    scratch = isolation.scratch_of(view)
    return {
        "HOME": scratch,
        "TMPDIR": scratch,
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "dumb",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _wrong(message: str, path: str) -> Rejected:
    return Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path=path)
