"""`foldline chat`."""

from typing import Annotated, Any

import typer
from rich.prompt import Prompt

from foldline.cli.client import gateway
from foldline.cli.naming import session_id
from foldline.cli.output import console, failures_shown
from foldline.cli.turns import Turn


def chat(
    session: Annotated[
        str | None,
        typer.Argument(
            help="The session to go on with, by id, its beginning or latest (default: a new one)."
        ),
    ] = None,
) -> None:
    """Talk to the agent here. Ctrl-D leaves; the session stays."""
    with failures_shown(), gateway() as door:
        turn = Turn(door, session_id(door, session) if session else None)
        console.print("Say something; Ctrl-D leaves.", style="dim")
        while True:
            try:
                _speak(turn)
            except EOFError:
                break
            for piece in turn.pieces():
                console.print(piece, end="", markup=False, highlight=False, soft_wrap=True)
            console.print()
            if turn.status in ("completed", "error"):
                break
        if turn.session_id:
            console.print(f"\nThe session is {turn.session_id}", style="dim", highlight=False)


def _speak(turn: Turn) -> None:
    pending = turn.question
    if pending is None:
        turn.say(_line("you"))
        return
    show: dict[str, Any] = pending["show"]
    options = [str(option) for option in show.get("options") or []]
    console.print(f"[bold]{show.get('question', 'The agent waits for an answer')}[/]")
    for number, option in enumerate(options, 1):
        console.print(f"  {number}. {option}", markup=False)
    answer = _line("answer")
    if answer.isdigit() and 0 < int(answer) <= len(options):
        answer = options[int(answer) - 1]
    turn.respond(pending["call_id"], answer, answer in options)


def _line(who: str) -> str:
    """One line that isn't empty."""
    while True:
        text = Prompt.ask(f"[cyan]{who}[/]", console=console)
        if text.strip():
            return text
