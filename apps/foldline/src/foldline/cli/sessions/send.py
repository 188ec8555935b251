"""`foldline send`."""

from pathlib import Path
from typing import Annotated

import typer

from foldline.cli.client import gateway
from foldline.cli.naming import EffortName, ModelName, ThinkingBudget, agent_id, session_id
from foldline.cli.output import JsonOption, clean, console, failures_shown, interrupted, print_json
from foldline.cli.sessions.shown import how_to_answer, waiting_text
from foldline.cli.sessions.turns import ChatTurn, thinking_of
from foldline.cli.sessions.writing import write
from foldline.cli.uploads import local_files


def send(
    text: Annotated[str, typer.Argument(help="The message; optional with --file.")] = "",
    session: Annotated[
        str | None,
        typer.Option(
            help="The session to send to: its id, the first characters of it, or latest (default: new)."
        ),
    ] = None,
    file: Annotated[list[Path] | None, typer.Option(help="Attach a file or folder. Repeatable.")] = None,
    agent: Annotated[
        str | None, typer.Option(help="The agent of the new session (default: default).")
    ] = None,
    model: ModelName = None,
    effort: EffortName = None,
    thinking_budget: ThinkingBudget = None,
    wait: Annotated[bool, typer.Option(help="Wait for the turn to end and print the answer.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Send one message and print the answer."""
    if not text.strip() and not file:
        raise typer.BadParameter("Say something, or send a file by --file", param_hint="TEXT")
    with failures_shown(), gateway() as door:
        if session and (agent or model):
            hint = "--agent" if agent else "--model"
            raise typer.BadParameter("It is for a new session: leave out --session", param_hint=hint)
        whose = None if agent is None else agent_id(door, agent)
        thinking = thinking_of(effort, thinking_budget)
        turn = ChatTurn(door, session_id(door, session) if session else None, whose, model, thinking)
        turn.think()
        if file:
            turn.say_with(text, local_files(file))
        else:
            turn.say(text)
        finish(turn, wait, as_json)


def finish(turn: ChatTurn, wait: bool, as_json: bool) -> None:
    """Print what comes of a turn that has begun; exit code 1 if nothing good does."""
    if wait and turn.status == "running":
        _follow(turn, as_json)
    waiting = turn.question if turn.status == "waiting_for_input" else None
    if as_json:
        told = {
            "session_id": turn.session_id,
            "answer": turn.answer,
            "status": turn.status,
            "failure": turn.failure,
        }
        print_json(told | ({"waits_for": waiting.show} if waiting else {}))
    elif waiting:
        if turn.queued:
            console.print("Your message is queued: the agent reads it once this has its answer.")
        shown = clean(waiting_text(waiting.show, waiting.arguments))
        console.print(f"\n{shown}", markup=False, highlight=False, soft_wrap=True)
        how = how_to_answer(waiting.show, turn.session_id, waiting.call_id if waiting.others else None)
        console.print(f"\nAnswer it: {how}", markup=False, highlight=False, soft_wrap=True)
    elif wait:
        console.print()
    else:
        console.print(turn.session_id)
    if turn.failure:
        raise typer.Exit(1)


def _follow(turn: ChatTurn, as_json: bool) -> None:
    """Print a turn until it ends. Ctrl-C stops waiting, not the agent."""
    turn.streams = console.is_terminal  # a pipe gets the answer alone, once it is known what is one
    try:
        if as_json:
            for _ in turn.pieces():
                pass
        else:
            write(turn.pieces(), console, "The agent works. Ctrl-C stops waiting, not the agent.")
    except KeyboardInterrupt:
        interrupted(
            f"The agent continues; nothing is lost. See what it did: foldline show {turn.session_id}. "
            f"To stop it: foldline stop {turn.session_id}"
        )
