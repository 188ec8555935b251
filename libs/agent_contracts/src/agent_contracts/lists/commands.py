"""The commands that ran in the name of agents' calls, and the files that each touched."""

from typing import Annotated

import msgspec

from agent_contracts.api.wire import ResponseBody
from agent_contracts.commands import LONGEST_PATH, Ending, Language, Touch
from agent_contracts.form_inputs import declared
from agent_contracts.lists.kind import TEXT, CallRecord, ListFilter, ListKind, when

_FILES_SHOWN = 6


class CommandFile(ResponseBody, frozen=True, kw_only=True):
    """A file of the workspace that a command touched."""

    path: str
    """Path of the file in the workspace."""
    touch: Touch
    size: int


class CommandRecord(CallRecord, frozen=True, kw_only=True):
    """A command, as it was when the call that ran it, or looked at it, ended."""

    command_id: str
    language: Language
    command: str
    ending: Ending
    exit_code: int | None
    duration_ms: int
    programs: list[str]
    files: list[CommandFile]
    """Files of the workspace that changed or were opened since the last report."""
    more_files: int
    saw_all: bool


class CommandFilter(ListFilter, frozen=True, kw_only=True):
    """Which commands; case doesn't count."""

    command: (
        Annotated[
            str,
            TEXT,
            msgspec.Meta(max_length=500),
            declared("Command", "Only commands that contain this text."),
        ]
        | None
    ) = None
    file: (
        Annotated[
            str,
            TEXT,
            msgspec.Meta(max_length=LONGEST_PATH),
            declared("File", "Only commands that touched a file whose path contains this text."),
        ]
        | None
    ) = None
    ending: Annotated[Ending, declared("How it ended", "Filter by how the command ended.")] | None = None


def _ended(one: CommandRecord) -> str:
    return one.ending if one.exit_code is None else f"{one.ending} {one.exit_code}"


def _files(one: CommandRecord) -> str:
    signs = {"created": "+", "changed": "~", "deleted": "-", "opened": ""}
    shown = [f"{signs[it.touch]}{it.path}" for it in one.files[:_FILES_SHOWN]]
    more = len(one.files) + one.more_files - len(shown)
    return ", ".join([*shown, *([f"{more} more"] if more else [])])


COMMANDS = ListKind(
    name="commands",
    row=CommandRecord,
    filter=CommandFilter,
    operation="listCommands",
    about="""A page of the commands that ran in the name of agents' calls, newest first, with the files of the
    workspace that each touched. One in the background is told by each call that looked at it. A call tells
    with its result: what a workspace host ran that died before is not among them.""",
    help="""List the commands that your agents ran, newest first. --json has every detail.

    Each line has the workspace files that the command created (+), changed (~), deleted (-) or opened.""",
    none="No command ran.",
    columns={
        "when": when,
        "ended": _ended,
        "#seconds": lambda one: f"{one.duration_ms / 1000:.1f}",
        "command": lambda one: " ".join(one.command.split())[:200],
        "files": _files,
        "tool": lambda one: one.tool or "",
        "session": lambda one: one.session_id,
    },
)
