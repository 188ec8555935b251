"""`foldline chat`."""

from collections.abc import Mapping
from typing import Annotated

import typer
from rich.markup import escape
from rich.prompt import Prompt

from agent_contracts.asking import ASK_USER
from agent_contracts.errors import Rejected
from agent_contracts.hand_over import HAND_OVER
from agent_contracts.json_value import Json
from foldline.cli.client import gateway
from foldline.cli.naming import agent_id, session_id
from foldline.cli.output import clean, console, failures_shown
from foldline.cli.shown import dismissed, fields_of, options_of, shown_text, submitted
from foldline.cli.turns import Turn
from foldline.cli.writing import write


def chat(
    session: Annotated[
        str | None,
        typer.Argument(
            help="The session to go on with, by id, its beginning or latest (default: a new one)."
        ),
    ] = None,
    agent: Annotated[str | None, typer.Option(help="Whose new session it is.")] = None,
) -> None:
    """Talk to the agent here. Ctrl-C stops an answer, Ctrl-D leaves; the session stays."""
    with failures_shown(), gateway() as door:
        if session and agent:
            raise typer.BadParameter("It is for a new session: leave out SESSION", param_hint="--agent")
        whose = None if agent is None else agent_id(door, agent)
        turn = Turn(door, session_id(door, session) if session else None, whose)
        console.print("Say something; Ctrl-D leaves.", style="dim")
        while True:
            try:
                _speak(turn)
            except (EOFError, KeyboardInterrupt):
                break
            if turn.status == "running":
                _listen(turn)
            console.print()
            if turn.status in ("completed", "error"):
                break
        if turn.session_id:
            console.print(f"\nThe session is {turn.session_id}", style="dim", highlight=False)


def _listen(turn: Turn) -> None:
    """Print what the agent says. Ctrl-C has it stop, and waits until it has; once more leaves at once."""
    try:
        write(turn.pieces(), console, "The agent works. Ctrl-C stops it.")
    except KeyboardInterrupt:
        console.print("\nStopping the agent; once more leaves.", style="dim")
        turn.stop()
        write(turn.pieces(), console, "Stopping …")


def _speak(turn: Turn) -> None:
    pending = turn.question
    if pending is None:
        turn.say(_line("you"))
        return
    show = pending.show
    if show.get("kind") == HAND_OVER:
        console.print(f"[bold]The agent asks you to take over its browser:[/] {escape(str(show['reason']))}")
        console.print("Do it on the page of this session, then go on there or here.", style="dim")
        turn.wait()
        return
    console.print(f"\n{clean(shown_text(show))}", markup=False, highlight=False)
    try:
        turn.answer_call(pending.call_id, _answer(show))
    except Rejected as refused:  # it goes on waiting, and is asked again
        console.print(f"✗ {refused.message}", markup=False, highlight=False)


def _answer(show: Mapping[str, Json]) -> dict[str, Json]:
    """Asks for the answer, piece by piece; a field that is left empty is left out."""
    if show.get("kind") == ASK_USER:
        options = options_of(show)
        answer = _line("answer")
        if answer.isdigit() and 0 < int(answer) <= len(options):
            answer = options[int(answer) - 1]
        return {"answer": answer}
    fields = fields_of(show)
    if not fields:
        Prompt.ask(
            "[cyan]Enter goes on without an answer[/]", console=console, default="", show_default=False
        )
        return dismissed()
    words = {
        field["name"]: Prompt.ask(
            f"[cyan]{escape(field['label'])}[/]", console=console, default="", show_default=False
        )
        for field in fields
    }
    return submitted(show, words)


def _line(who: str) -> str:
    """One line that isn't empty."""
    while True:
        text = Prompt.ask(f"[cyan]{who}[/]", console=console)
        if text.strip():
            return text
