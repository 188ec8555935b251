"""`foldline outcomes`: calls of which nobody knows whether they did their work."""

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
    SETTLE = "settle"


def outcomes(
    action: Annotated[Action, typer.Argument(help="What to do.")] = Action.LIST,
    call: Annotated[str | None, typer.Argument(help="The call's id, as `list` shows it.")] = None,
    happened: Annotated[
        bool | None, typer.Option("--happened/--did-not-happen", help="What you found out.")
    ] = None,
    note: Annotated[str, typer.Option(help="What the agent should know beside it.")] = "",
    every: Annotated[bool, typer.Option("--all", help="List those too that were settled.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List calls whose runner died while they may have acted, or say of one what happened.

    Such a call is never run again. What you say is recorded, and told to the agent at once.
    """
    with failures_shown(), gateway() as door:
        found = door.get("/outcomes", settled=every, limit=1000)["outcomes"]
        if action is Action.LIST:
            if as_json:
                print_json(found)
                return
            for one in found:
                known = {None: "unknown", True: "happened", False: "did not happen"}[one["happened"]]
                console.print(
                    f"{one['call_id']}  [dim]{one['session_id']} {one['ended_at'] or ''}[/]  "
                    f"[bold]{escape(one['tool'])}[/]: {known}",
                    highlight=False,
                    soft_wrap=True,
                )
            if not found:
                console.print("no call has an unknown outcome")
            return
        if call is None or happened is None:
            usage = "foldline outcomes settle CALL --happened (or --did-not-happen) --note TEXT"
            raise Rejected(f"Say which call and what happened: {usage}", kind="invalid_request")
        session = next((one["session_id"] for one in found if one["call_id"] == call), None)
        if session is None:
            raise Rejected(f"No call {call} has an unknown outcome: foldline outcomes", kind="not_found")
        done = door.post(f"/outcomes/{session}/{call}", {"happened": happened, "note": note})
        if as_json:
            print_json(done)
        else:
            console.print(f"[green]✓[/] recorded as event {done['sequence']} of {session}", highlight=False)
