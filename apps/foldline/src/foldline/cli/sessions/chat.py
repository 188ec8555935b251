"""`foldline chat`."""

import json
from collections.abc import Mapping
from typing import Annotated

import typer
from rich.markup import escape
from rich.prompt import Prompt

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_contracts.policies import APPROVAL
from agent_contracts.questions.hand_over import HAND_OVER
from agent_contracts.sessions.asking import ASK_USER
from agent_domain.shown import (
    can_be_declined,
    declined,
    dismissed,
    fields_of,
    is_agreed_to,
    options_of,
    shown_text,
    submitted,
)
from foldline.cli.client import gateway
from foldline.cli.naming import ModelName, agent_id, session_id
from foldline.cli.output import clean, console, failures_shown
from foldline.cli.sessions.prompts import is_asked_for, say_prompt
from foldline.cli.sessions.turns import Turn
from foldline.cli.sessions.writing import write


def chat(
    session: Annotated[
        str | None,
        typer.Argument(
            help="The session to go on with, by id, its beginning or latest (default: a new one)."
        ),
    ] = None,
    agent: Annotated[str | None, typer.Option(help="Whose new session it is.")] = None,
    model: ModelName = None,
) -> None:
    """Talk to the agent here. Ctrl-C stops an answer, Ctrl-D leaves; the session stays. A / lists the prompts
    of its MCP servers, and /NAME sends one."""
    with failures_shown(), gateway() as door:
        if session and (agent or model):
            hint = "--agent" if agent else "--model"
            raise typer.BadParameter("It is for a new session: leave out SESSION", param_hint=hint)
        whose = None if agent is None else agent_id(door, agent)
        turn = Turn(door, session_id(door, session) if session else None, whose, model)
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
        line = _line("you")
        if not (is_asked_for(line) and say_prompt(turn, line)):
            turn.say(line)
        return
    show = pending.show
    if show.get("kind") == HAND_OVER:
        console.print(f"[bold]The agent asks you to take over its browser:[/] {escape(str(show['reason']))}")
        console.print("Do it on the page of this session, then go on there or here.", style="dim")
        turn.wait()
        return
    if show.get("kind") == APPROVAL:
        _approve(turn, pending.call_id, show)
        return
    console.print(f"\n{clean(shown_text(show))}", markup=False, highlight=False)
    try:
        turn.answer_call(pending.call_id, _answer(show))
    except Rejected as refused:  # it goes on waiting, and is asked again
        console.print(f"✗ {refused.message}", markup=False, highlight=False)


def _approve(turn: Turn, call_id: str, show: Mapping[str, Json]) -> None:
    """Shows exactly what would run, and takes a yes or a no. A no may say why."""
    exact = json.dumps(turn.arguments_of(call_id), ensure_ascii=False, indent=2)
    asked = clean(f"{show.get('tool')} needs your yes. {show.get('rule')}.")
    console.print(f"\n{asked}", markup=False, highlight=False)
    console.print(clean(exact), markup=False, highlight=False)
    commands = ["commands"] if "commands" in show else []
    longer = ["session", *commands, "always"] if "covers" in show else commands
    if commands:
        note = "commands: allows every command of this chat, in the same sandbox"
        console.print(note, style="dim")
    said = Prompt.ask(
        "[cyan]Allow it?[/]", console=console, choices=["once", *longer, "refuse"], default="refuse"
    )
    response: dict[str, Json] = {"decision": said}
    if said == "refuse":
        reason = Prompt.ask("[cyan]Why (the agent reads it)[/]", console=console, default="")
        response |= {"reason": reason} if reason.strip() else {}
    try:
        turn.answer_call(call_id, response)
    except Rejected as refused:
        console.print(f"✗ {refused.message}", markup=False, highlight=False)


def _answer(show: Mapping[str, Json]) -> dict[str, Json]:
    """Asks for the answer, piece by piece; a field that is left empty is left out."""
    if show.get("kind") == ASK_USER:
        options = options_of(show)
        answer = _line("answer")
        if answer.isdigit() and 0 < int(answer) <= len(options):
            answer = options[int(answer) - 1]
        return {"answer": answer}
    if can_be_declined(show):
        said = Prompt.ask(
            f"[cyan]{'I do it' if is_agreed_to(show) else 'Give it'}?[/]",
            console=console,
            choices=["yes", "no", "dismiss"],
            default="dismiss",
        )
        if said != "yes":
            return declined() if said == "no" else dismissed()
    fields = fields_of(show)
    if not fields and not is_agreed_to(show):
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
