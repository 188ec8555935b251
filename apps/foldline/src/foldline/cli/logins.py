"""`foldline logins`: the browsers that are logged in."""

from enum import StrEnum
from typing import Annotated

import typer
from rich.markup import escape

from agent_contracts.errors import Rejected
from foldline.cli.client import gateway
from foldline.cli.output import JsonOption, console, failures_shown, print_json


class Action(StrEnum):
    """What to do."""

    LIST = "list"
    REVOKE = "revoke"


def logins(
    action: Annotated[Action, typer.Argument(help="What to do.")] = Action.LIST,
    login: Annotated[str | None, typer.Argument(help="Which one to end.")] = None,
    every: Annotated[bool, typer.Option("--all", help="End every one.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the browsers that are logged in, or log one or all of them out, within 5 s."""
    with failures_shown(), gateway() as door:
        if action is Action.LIST:
            found = door.get("/logins")["logins"]
            if as_json:
                print_json(found)
                return
            for one in found:
                console.print(
                    f"{one['id']}  [dim]since {one['created_at']}, last seen {one['seen_at']}[/]  "
                    f"{one['address']}  {escape(one['browser'])}",
                    highlight=False,
                    soft_wrap=True,
                )
            if not found:
                console.print("no browser is logged in")
            return
        if login is None and not every:
            raise Rejected("Say which: foldline logins revoke LOGIN (or --all)", kind="invalid_request")
        done = door.delete("/logins" if login is None else f"/logins/{login}")
        if as_json:
            print_json(done)
        else:
            console.print(f"[green]✓[/] logged out: {done['revoked']}", highlight=False)
