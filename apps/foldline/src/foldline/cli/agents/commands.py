"""`foldline commands`: what commands ran in the name of agents' calls, and which files they touched."""

from enum import StrEnum
from itertools import islice
from typing import Annotated

import msgspec
import typer

from agent_contracts.api.egress import CommandRecord
from foldline.cli.client import gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id, session_id
from foldline.cli.output import JsonOption, failures_shown

_FILES_SHOWN = 6


class HowEnded(StrEnum):
    """How a command ended."""

    RUNNING = "running"
    EXITED = "exited"
    TIMED_OUT = "timed_out"
    STOPPED = "stopped"
    OUTPUT = "output"
    MEMORY = "memory"
    DISK = "disk"
    LOST = "lost"


def commands(
    agent: Annotated[str | None, typer.Option(help="Only this agent.")] = None,
    session: Annotated[
        str | None, typer.Option(help="Only this session: its id, the first characters of it, or latest.")
    ] = None,
    command: Annotated[str | None, typer.Option(help="Only commands that contain this text.")] = None,
    file: Annotated[
        str | None, typer.Option(help="Only commands that touched a file whose path contains this text.")
    ] = None,
    ending: Annotated[HowEnded | None, typer.Option(help="Filter by how the command ended.")] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=100_000, help="Show at most N entries, newest first.")
    ] = 100,
    as_json: JsonOption = False,
) -> None:
    """List the commands that your agents ran, newest first. --json has every detail.

    Each line has the workspace files that the command created (+), changed (~), deleted (-) or opened."""
    with failures_shown(), gateway() as door:
        every = door.every(
            "/commands",
            "commands",
            cursor="cursor",
            agent_id=None if agent is None else agent_id(door, agent),
            session_id=None if session is None else session_id(door, session),
            command=command,
            file=file,
            ending=ending,
            limit=min(limit, 1000),
        )
        found = [msgspec.convert(one, CommandRecord) for one in islice(every, limit)]
        columns = ("when", "ended", "#seconds", "command", "files", "tool", "session")
        listed(found, columns, _row, none="No command ran.", as_json=as_json)


def _row(one: CommandRecord) -> tuple[str, ...]:
    code = "" if one.exit_code is None else f" {one.exit_code}"
    return (
        one.at[5:16].replace("T", " "),
        f"{one.ending}{code}",
        f"{one.duration_ms / 1000:.1f}",
        " ".join(one.command.split())[:200],
        _files(one),
        one.tool or "",
        one.session_id,
    )


def _files(one: CommandRecord) -> str:
    signs = {"created": "+", "changed": "~", "deleted": "-", "opened": ""}
    shown = [f"{signs[it.touch]}{it.path}" for it in one.files[:_FILES_SHOWN]]
    more = len(one.files) + one.more_files - len(shown)
    return ", ".join([*shown, *([f"{more} more"] if more else [])])
