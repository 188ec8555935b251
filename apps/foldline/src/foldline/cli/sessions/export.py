"""`foldline export` and `foldline import`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from agent_contracts.errors import Rejected
from agent_contracts.sessions import session_file
from foldline.cli.client import gateway
from foldline.cli.naming import SessionName, agent_id, session_id
from foldline.cli.output import JsonOption, console, failures_shown, print_json


def export(
    session: SessionName,
    to: Annotated[
        Path | None, typer.Option(help="The file to write (default: SESSION.foldline.jsonl).")
    ] = None,
) -> None:
    """Export a session to one file: its events and what the model saw."""
    with failures_shown(), gateway() as door:
        session = session_id(door, session)
        target = to or Path(f"{session}.foldline.jsonl")
        content = door.download(f"/sessions/{session}/export")
        try:
            target.write_bytes(content)
        except OSError as error:
            raise Rejected(f"{target} can't be written: {error.strerror}", kind="bad_file") from error
        console.print(f"{target}  {len(content):,} bytes", highlight=False)
        end = session_file.read_line(content.rsplit(b"\n", 2)[-2])
        if isinstance(end, session_file.End) and end.lost:
            console.print(
                f"[yellow]![/] {len(end.lost)} blobs that the session names were lost here: the file lacks "
                "them. Its events are whole. foldline doctor says more.",
                highlight=False,
                soft_wrap=True,
            )


def import_(
    file: Annotated[Path, typer.Argument(help="The exported file.")],
    ids: Annotated[str, typer.Option(help="keep: use the original id. new: create a new one.")] = "keep",
    agent: Annotated[
        str | None, typer.Option(help="The agent that gets the session (default: the original one).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Import an exported session. None of its calls runs again."""
    with failures_shown(), gateway() as door:
        try:
            content = file.read_bytes()
        except OSError as error:
            raise Rejected(f"{file} can't be read: {error.strerror}", kind="bad_file") from error
        owner = agent_id(door, agent) if agent else None
        imported = door.upload("/sessions:import", content, ids=ids, agent_id=owner)
        if as_json:
            print_json(imported)
        else:
            console.print(f"{imported['id']}  {imported['events']} events", highlight=False)
            if imported["lost"]:
                console.print(
                    f"[yellow]![/] {imported['lost']} blobs were lost before it was exported: what some "
                    "calls saw or gave can't be shown",
                    highlight=False,
                    soft_wrap=True,
                )
            for path in imported["left_out"]:
                console.print(f"[yellow]![/] {escape(path)} is not in the file", highlight=False)
