"""Prompts of the agent's MCP servers in `foldline chat`: a line that begins with `/`."""

from typing import Any

from rich.markup import escape
from rich.prompt import Prompt

from agent_contracts.errors import Rejected
from foldline.cli.output import clean, console
from foldline.cli.sessions.turns import ChatTurn


def is_asked_for(line: str) -> bool:
    """Whether a line may name a prompt: one word after a `/`."""
    return line.startswith("/") and len(line.split()) == 1


def say_prompt(turn: ChatTurn, line: str) -> bool:
    """Say the prompt that the line names, as `/name` or `/server/name`, or list those that begin so. False
    where there is none: then the line is plain text."""
    told = turn.prompts()
    for silent in told["silent"]:
        _note(f"{silent['server']} lists no prompts now: {silent['why']}")
    for flawed in told["flaws"]:
        _note(f"{flawed['server']}: {flawed['what']}")
    asked = line.strip()[1:]
    exact = [one for one in told["items"] if asked in (one["name"], f"{one['server']}/{one['name']}")]
    if len(exact) != 1:
        fitting = exact or [one for one in told["items"] if one["name"].startswith(asked)]
        for one in fitting:
            _note(f"/{one['server']}/{one['name']}  {one['description'] or one['title']}")
        return bool(fitting)
    (chosen,) = exact
    try:
        turn.say_prompt(chosen["server"], chosen["name"], _filled(chosen))
    except Rejected as refused:
        console.print(f"✗ {refused.message}", markup=False, highlight=False)
    return True


def _filled(prompt: dict[str, Any]) -> dict[str, str]:
    """Asks for what the prompt wants; what is left empty is left out."""
    given: dict[str, str] = {}
    for one in prompt["arguments"]:
        if one["description"]:
            _note(one["description"])
        needed = " (needed)" if one["required"] else ""
        said = Prompt.ask(
            f"[cyan]{escape(clean(one['name']))}{needed}[/]", console=console, default="", show_default=False
        )
        if said:
            given[one["name"]] = said
    return given


def _note(text: str) -> None:
    console.print(clean(text), style="dim", markup=False, highlight=False)
