"""What commands did in the name of a call: each command, its programs, and the files that it touched."""

from typing import Literal

import msgspec

MOST_COMMANDS = 20
"""So many commands of one call are listed; the others are counted."""
MOST_FILES = 200
"""So many files of all commands of one call are listed; the others are counted."""
LONGEST_COMMAND = 1_000
"""Characters of a command line that are kept; the call's arguments have all of it."""
LONGEST_PATH = 200
"""Characters of a file's path."""

Language = Literal["shell", "python", "javascript"]
"""`shell`: a command line for bash, or `/bin/sh` where there is none. The others are programs' texts; a
machine may not have what runs them, which is `Rejected(kind="not_available")`."""

Ending = Literal["running", "exited", "timed_out", "stopped", "output", "memory", "disk", "lost"]
"""`exited`: by itself. `stopped`: a call stopped it, or nobody waits any more. `output`, `memory`, `disk`: it
took more than it may have and was ended. `lost`: the workspace host couldn't tell how it ended."""

Touch = Literal["opened", "created", "changed", "deleted"]
"""What became of a file of the workspace; `opened`: it was looked at, and is as it was."""


class TouchedFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file of the workspace that a command touched."""

    path: str
    """Path of the file in the workspace."""
    touch: Touch
    size: int = 0


class CallCommand(msgspec.Struct, frozen=True, omit_defaults=True):
    """A command, as it was when the call ended or looked at it. Files outside of the workspace are never
    listed."""

    command_id: str
    language: Language
    command: str
    ending: Ending
    exit_code: int | None = None
    duration_ms: int = 0
    programs: tuple[str, ...] = ()
    files: tuple[TouchedFile, ...] = ()
    """Files of the workspace that changed or were opened since the last report."""
    more_files: int = 0
    saw_all: bool = True


class CallCommands(msgspec.Struct, frozen=True, omit_defaults=True):
    """The commands of one call, in order, up to a limit."""

    commands: tuple[CallCommand, ...]
    """The commands, in order."""
    more: int = 0
    """Number of commands that are not listed."""


def since(before: CallCommand, now: CallCommand) -> CallCommand:
    """How a command stands now, with the files of both: of one that both name what became of it in all."""
    files = {one.path: one for one in before.files}
    for one in now.files:
        earlier = files.pop(one.path, None)
        touch = one.touch if earlier is None else _both(earlier.touch, one.touch)
        size = earlier.size if earlier is not None and one.touch == "opened" else one.size
        files[one.path] = TouchedFile(one.path, touch, size)
    listed = sorted(files.values(), key=lambda one: one.touch == "opened")
    more, saw_all = before.more_files + now.more_files, before.saw_all and now.saw_all
    return msgspec.structs.replace(now, files=tuple(listed), more_files=more, saw_all=saw_all)


def _both(earlier: Touch, later: Touch) -> Touch:
    match earlier, later:
        case _, "opened":
            return earlier
        case "created", "changed":
            return "created"
        case "deleted", "created":
            return "changed"
    return later
