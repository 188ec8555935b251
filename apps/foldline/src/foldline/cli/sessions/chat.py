"""`foldline chat`."""

from collections.abc import Mapping
from typing import Annotated

import typer
from rich.markup import escape
from rich.prompt import Prompt

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_contracts.policies import APPROVAL
from agent_contracts.questions.takeover import HAND_OVER
from agent_contracts.sessions.open_questions import ASK_USER
from agent_domain.shown import (
    can_be_declined,
    decided,
    decisions_of,
    declined,
    dismissed,
    fields_of,
    is_agreed_to,
    options_of,
    submitted,
    yes_or_no,
)
from foldline.cli.client import gateway
from foldline.cli.naming import EffortName, ModelName, ThinkingBudget, agent_id, session_id
from foldline.cli.output import clean, console, failures_shown
from foldline.cli.sessions.prompts import is_asked_for, say_prompt
from foldline.cli.sessions.shown import waiting_text
from foldline.cli.sessions.turns import ChatTurn, thinking_of
from foldline.cli.sessions.writing import write


def chat(
    session: Annotated[
        str | None,
        typer.Argument(
            help="The session to continue: its id, the first characters of it, or latest (default: new)."
        ),
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="The agent of the new session (default: default).")
    ] = None,
    model: ModelName = None,
    effort: EffortName = None,
    thinking_budget: ThinkingBudget = None,
) -> None:
    """Chat with the agent in the terminal. Ctrl-C stops an answer, Ctrl-D leaves; the session stays.

    Type / to list the prompts of the agent's MCP servers, and /NAME to send one."""
    with failures_shown(), gateway() as door:
        if session and (agent or model):
            hint = "--agent" if agent else "--model"
            raise typer.BadParameter("It is for a new session: leave out SESSION", param_hint=hint)
        whose = None if agent is None else agent_id(door, agent)
        thinking = thinking_of(effort, thinking_budget)
        turn = ChatTurn(door, session_id(door, session) if session else None, whose, model, thinking)
        turn.think()
        console.print("Say something; Ctrl-D leaves.", style="dim")
        if turn.session_id:
            turn.look()
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


def _listen(turn: ChatTurn) -> None:
    """Print what the agent says. Ctrl-C has it stop, and waits until it has; once more leaves at once."""
    try:
        write(turn.pieces(), console, "The agent works. Ctrl-C stops it.")
    except KeyboardInterrupt:
        console.print("\nStopping the agent; once more leaves.", style="dim")
        turn.stop()
        write(turn.pieces(), console, "Stopping …")


def _speak(turn: ChatTurn) -> None:
    pending = turn.question
    if pending is None:
        line = _line("you")
        if not (is_asked_for(line) and say_prompt(turn, line)):
            turn.say(line)
        if turn.queued:
            console.print("Your message is queued: the agent reads it once this has its answer.", style="dim")
        return
    show = pending.show
    if show.get("kind") == HAND_OVER:
        console.print(f"[bold]The agent asks you to take over its browser:[/] {escape(str(show['reason']))}")
        console.print("Do it on the page of this session, then continue there or here.", style="dim")
        turn.wait()
        return
    console.print(f"\n{clean(waiting_text(show, pending.arguments))}", markup=False, highlight=False)
    try:
        turn.answer_call(pending.call_id, _decide(show) if show.get("kind") == APPROVAL else _answer(show))
    except Rejected as refused:  # it goes on waiting, and is asked again
        console.print(f"✗ {refused.message}", markup=False, highlight=False)


def _decide(show: Mapping[str, Json]) -> dict[str, Json]:
    """A yes or a no to a call. A no may say why."""
    longer = decisions_of(show)[1:]
    if "commands" in longer:
        note = "commands: allows every command of this chat, in the same sandbox"
        console.print(note, style="dim")
    words = "/".join(["yes", "no", *longer])
    said = Prompt.ask(f"[cyan]Allow it?[/] [magenta]({words})[/]", console=console, default="no")
    answer = decided(show, said)
    if answer["decision"] != "refuse":
        return answer
    return decided(show, said, Prompt.ask("[cyan]Why (the agent reads it)[/]", console=console, default=""))


def _answer(show: Mapping[str, Json]) -> dict[str, Json]:
    """Asks for the answer, piece by piece; a field that is left empty is left out."""
    if show.get("kind") == ASK_USER:
        options = options_of(show)
        answer = _line("answer")
        if answer.isdigit() and 0 < int(answer) <= len(options):
            answer = options[int(answer) - 1]
        return {"answer": answer}
    if can_be_declined(show):
        asked = f"[cyan]{'I do it' if is_agreed_to(show) else 'Give it'}?[/] [magenta](yes/no/dismiss)[/]"
        said = Prompt.ask(asked, console=console, default="dismiss")
        agreed = yes_or_no(said)
        if agreed is None and said.strip().lower() != "dismiss":
            raise Rejected(f"Say yes, no or dismiss, not {said[:100]!r}")
        if not agreed:
            return dismissed() if agreed is None else declined()
    fields = fields_of(show)
    if not fields and not is_agreed_to(show):
        Prompt.ask(
            "[cyan]Enter continues without an answer[/]", console=console, default="", show_default=False
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
