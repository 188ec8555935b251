"""`foldline send`."""

from typing import Annotated

import typer

from foldline.cli.client import gateway
from foldline.cli.naming import session_id
from foldline.cli.output import JsonOption, console, failures_shown, print_json
from foldline.cli.turns import Turn


def send(
    text: Annotated[str, typer.Argument(help="What to say.")],
    session: Annotated[
        str | None,
        typer.Option(help="The session to send to, by id, its beginning or latest (default: a new one)."),
    ] = None,
    wait: Annotated[bool, typer.Option(help="Wait for the turn's end and print the answer.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Say one thing, and print what the agent answers."""
    with failures_shown(), gateway() as door:
        turn = Turn(door, session_id(door, session) if session else None)
        turn.say(text)
        finish(turn, wait, as_json)


def finish(turn: Turn, wait: bool, as_json: bool) -> None:
    """Print what comes of a turn that has begun; exit code 1 if nothing good does."""
    if wait:
        for line in turn.pieces():
            if not as_json:
                console.print(line, end="", markup=False, highlight=False, soft_wrap=True)
    if as_json:
        print_json(
            {
                "session_id": turn.session_id,
                "answer": turn.answer,
                "status": turn.status,
                "failure": turn.failure,
            }
        )
    elif wait:
        console.print()
    else:
        console.print(turn.session_id)
    if turn.failure:
        raise typer.Exit(1)
