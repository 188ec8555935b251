"""`foldline reminders`."""

from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.markup import escape

from agent_contracts.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Rejected
from foldline.cli.client import gateway
from foldline.cli.naming import agent_id, session_id
from foldline.cli.output import JsonOption, console, failures_shown, print_json

_DONE = {None: "", "told": " · told", "missed": " · missed"}


class Action(StrEnum):
    """What to do."""

    LIST = "list"
    CANCEL = "cancel"


def reminders(
    action: Annotated[Action, typer.Argument(help="What to do.")] = Action.LIST,
    reminder: Annotated[str | None, typer.Argument(help="cancel: which one, r_….")] = None,
    session: Annotated[str | None, typer.Option(help="Those of one session.")] = None,
    over: Annotated[bool, typer.Option("--all", help="Those that are over, too.")] = False,
    agent: Annotated[str, typer.Option(help="Whose they are.")] = DEFAULT_AGENT,
    as_json: JsonOption = False,
) -> None:
    """List what an agent's sessions will be reminded of, by time, or cancel a reminder."""
    with failures_shown(), gateway() as door:
        path = f"/agents/{agent_id(door, agent)}/reminders"
        if action is Action.CANCEL:
            if reminder is None:
                raise Rejected("Name it: foldline reminders cancel REMINDER", kind="invalid_request")
            done = door.delete(f"{path}/{reminder}")
            if not done["deleted"]:
                raise Rejected(f"There is no reminder {reminder}. Try: foldline reminders", kind="not_found")
            if as_json:
                print_json(done)
            else:
                console.print(f"[green]✓[/] {reminder} is cancelled", highlight=False)
            return
        of = session_id(door, session) if session else None
        found = door.get(path, session_id=of, over=over or None)["reminders"]
        if as_json:
            print_json(found)
            return
        for one in found:
            _line(one)
        if not found:
            console.print("no reminders. Ask the agent: remind me in an hour to …", highlight=False)


def _line(one: dict[str, Any]) -> None:
    console.print(
        f"{one['id']}  {one['at']}  {escape(' '.join(one['message'].split()))}  "
        f"[dim]session {one['reminds']}{_DONE[one['done']]}[/]",
        highlight=False,
        soft_wrap=True,
    )
