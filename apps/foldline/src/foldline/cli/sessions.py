"""`foldline sessions`."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from foldline.cli.client import gateway
from foldline.cli.output import JsonOption, console, failures_shown, print_json
from foldline.cli.unstick import unstick

_NARROWEST = 80


class Action(StrEnum):
    """What to do."""

    LIST = "list"
    UNSTICK = "unstick"


def sessions(
    action: Annotated[Action, typer.Argument(help="What to do.")] = Action.LIST,
    session: Annotated[str | None, typer.Argument(help="Which one to unstick.")] = None,
    query: Annotated[str | None, typer.Option("--query", "-q", help="Search in titles and messages.")] = None,
    status: Annotated[str | None, typer.Option(help="idle, running, waiting_for_input, …")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200)] = 20,
    every: Annotated[bool, typer.Option("--all", help="Unstick every stuck session.")] = False,
    older_than: Annotated[
        float, typer.Option(help="Unstick nothing that was asked for less than so many seconds ago.")
    ] = 60.0,
    as_json: JsonOption = False,
) -> None:
    """List sessions, newest first; or find those that wait for what can't come, and put them right.

    Nothing is run again: what was lost ends by an event that says so, and the session goes on.
    """
    with failures_shown(), gateway() as door:
        if action is Action.UNSTICK:
            unstick(door, session, every, older_than, as_json)
            return
        found = door.get("/sessions", q=query, status=status, limit=limit)["sessions"]
        if as_json:
            print_json(found)
            return
        if not found:
            console.print("No sessions. Try: foldline chat")
            return
        for one in found:
            _print(one)


def _print(one: dict[str, Any]) -> None:
    """One line; the title has the room that is left. The id is never cut: it is to be copied."""
    tokens = compact(one["usage"]["input"] + one["usage"]["output"])
    changed = one["updated_at"][5:16].replace("T", " ")
    line = f"{one['id']} {one['status']:<19} {changed} {tokens:>5} {' '.join((one['title'] or '').split())}"
    shown = max(console.width, _NARROWEST)
    text = line if len(line) <= shown else line[: shown - 1] + "…"
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def compact(tokens: int) -> str:
    """A number of tokens in at most five characters, where it is less than a thousand millions."""
    if tokens < 1_000:
        return str(tokens)
    if tokens < 1_000_000:
        return f"{tokens / 1_000:.0f}k"
    return f"{tokens / 1_000_000:.1f}M"
