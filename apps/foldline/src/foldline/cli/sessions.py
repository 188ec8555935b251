"""`foldline sessions`."""

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from foldline.cli.client import gateway
from foldline.cli.output import JsonOption, console, failures_shown, print_json


def sessions(
    query: Annotated[str | None, typer.Option("--query", "-q", help="Search in titles and messages.")] = None,
    status: Annotated[str | None, typer.Option(help="idle, running, waiting_for_input, …")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200)] = 20,
    as_json: JsonOption = False,
) -> None:
    """List sessions, newest first."""
    with failures_shown(), gateway() as door:
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
