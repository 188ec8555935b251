"""`foldline sessions`."""

from enum import StrEnum
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from foldline.cli.client import gateway
from foldline.cli.output import JsonOption, console, failures_shown, print_json
from foldline.cli.unstick import unstick


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
    every: Annotated[bool, typer.Option("--all", help="Unstick each that waits in vain.")] = False,
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
        table = Table(box=None, pad_edge=False)
        for column in ("session", "status", "title", "tokens", "changed"):
            table.add_column(column, no_wrap=column != "title")
        for one in found:
            tokens = one["usage"]["input"] + one["usage"]["output"]
            table.add_row(
                one["id"], one["status"], escape(one["title"] or ""), str(tokens), one["updated_at"][:19]
            )
        console.print(table)
