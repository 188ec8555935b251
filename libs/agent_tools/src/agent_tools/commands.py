"""What is asked of the workspace host, and what it tells: a command, and what became of it."""

from typing import Literal

import msgspec

from agent_contracts.commands import Ending, Language
from agent_contracts.json_value import Json

DEFAULT_TIMEOUT_S = 30.0
LONGEST_S = 600.0
"""Of a command that is waited for, in seconds."""
LONGEST_BACKGROUND_S = 3600.0
"""Of one in the background."""
LARGEST_SHOWN = 256 * 1024
"""Bytes of what a command wrote, each way, that stand in a result; what is more is a file."""

Change = Literal["created", "changed", "deleted"]


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A command line, or a program's text.

    `folder` is where it runs, relative to the workspace. `input` is its standard input, which then ends; one
    in the background without any has one that stays open. `timeout_s` is in seconds, at most `LONGEST_S`;
    one in the background may go on for as long as the workspace host lets it (`LONGEST_BACKGROUND_S`), or,
    where it is the call's `own`, until nobody waits for the call any more.
    """

    language: Language
    text: str
    folder: str = ""
    input: str | None = None
    timeout_s: float = DEFAULT_TIMEOUT_S
    background: bool = False
    own: bool = False


class ChangedFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file of the workspace that isn't as it was; the id of the file of the agent, where it is kept."""

    path: str
    change: Change
    size: int = 0
    file_id: str | None = None


class Exchange(msgspec.Struct, frozen=True):
    """What a command in the background wrote to its standard output: whole lines, without their ends, and how
    it stands. Bytes that are no UTF-8 are replaced."""

    lines: tuple[str, ...]
    ending: Ending


class CommandRun(msgspec.Struct, frozen=True, kw_only=True):
    """A command as it is now.

    `exit_code` is None as long as it runs, and where a signal ended it. `stdout` and `stderr` are UTF-8 as
    far as it is (what isn't is replaced), at most `LARGEST_SHOWN` bytes each: of more, the beginning and the
    end, and `stdout_file` and `stderr_file` are the ids of files with all of it. `changed` are the
    workspace's files that changed, `not_kept` those that are not kept as files, each with why. `weaker` says
    what the command was not kept from; None where it is fully isolated. `programs` are the names of
    those that were seen to run, five times a second: what is over sooner is not among them. `network`
    says which one it has. `wanted` is what a call's own was to send, and what a person would have to allow
    first, as they are shown it; others end their call with that.
    """

    command_id: str
    ending: Ending
    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    stdout_file: str | None = None
    stderr_file: str | None = None
    seconds: float = 0.0
    programs: tuple[str, ...] = ()
    changed: tuple[ChangedFile, ...] = ()
    not_kept: tuple[str, ...] = ()
    weaker: str | None = None
    network: str = "none"
    wanted: dict[str, Json] | None = None
