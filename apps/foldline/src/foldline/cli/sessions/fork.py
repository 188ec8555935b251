"""`foldline fork`."""

import uuid
from typing import Annotated

import msgspec
import typer
from rich.markup import escape

from agent_contracts.api.sessions import ForkedSession
from agent_contracts.log.address import Address
from foldline.cli.client import gateway
from foldline.cli.naming import SessionName, event_option, session_id
from foldline.cli.output import JsonOption, clean, console, failures_shown, print_json


def fork(
    session: SessionName,
    at: Annotated[Address, event_option("Copy the history up to this event")],
    message: Annotated[
        str | None, typer.Option(help="The next message, instead of the original one.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Use another model (default: the original one).")] = None,
    title: Annotated[str | None, typer.Option(help="The title of the new session.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Start a new session from another one's history, up to an event. The original doesn't change."""
    wanted = {"at": str(at), "message": message, "model": model, "title": title}
    body = {name: value for name, value in wanted.items() if value is not None}
    with failures_shown(), gateway() as door:
        session = session_id(door, session)
        made = msgspec.convert(door.post(f"/sessions/{session}:fork", body, uuid.uuid4().hex), ForkedSession)
        if as_json:
            print_json(made)
        else:
            print_fork(made, asked_for=at)


def print_fork(made: ForkedSession, asked_for: Address) -> None:
    """The fork's id, and the event where it really begins if that is another than was asked for."""
    console.print(f"{made.id}  {escape(clean(made.title or 'Untitled'))}", highlight=False)
    where = f"Its history is {made.forked_from}'s up to event {made.fork_sequence}"
    if made.fork_sequence != asked_for.sequence:
        where += f"  (tools were still running at event {asked_for})"
    console.print(f"[dim]{where}[/]", highlight=False)
