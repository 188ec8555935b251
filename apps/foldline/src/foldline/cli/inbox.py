"""`foldline inbox`: wakes from other services that wait."""

from enum import StrEnum
from typing import Annotated

import typer
from rich.markup import escape

from agent_contracts.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Rejected
from foldline.cli.client import gateway
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, console, failures_shown, print_json


class Action(StrEnum):
    """What to do."""

    LIST = "list"
    HAND = "hand"
    DISMISS = "dismiss"


def inbox(
    action: Annotated[Action, typer.Argument(help="What to do.")] = Action.LIST,
    wake: Annotated[str | None, typer.Argument(help="Which one: its id, as listed.")] = None,
    session: Annotated[str | None, typer.Option(help="The session that is to be told.")] = None,
    agent: Annotated[str, typer.Option(help="Whose inbox.")] = DEFAULT_AGENT,
    as_json: JsonOption = False,
) -> None:
    """List the wakes that wait for an agent; hand one to a session, which it wakes, or dismiss it."""
    with failures_shown(), gateway() as door:
        path = f"/agents/{agent_id(door, agent)}/inbox"
        if action is Action.LIST:
            found = door.get(path)["wakes"]
            if as_json:
                print_json(found)
                return
            for one in found:
                console.print(
                    f"{one['id']}  [dim]{one['at']} from {one['source']}[/]  {escape(one['message'])}",
                    highlight=False,
                    soft_wrap=True,
                )
            if not found:
                console.print("the inbox is empty")
            return
        if wake is None:
            raise Rejected(f"say which: foldline inbox {action} WAKE", kind="invalid_request")
        if action is Action.HAND:
            if session is None:
                raise Rejected("say by --session who is to be told", kind="invalid_request")
            done = door.post(f"{path}/{wake}/hand", {"session_id": session})
        else:
            done = door.delete(f"{path}/{wake}")
            if not done["deleted"]:
                raise Rejected(f"wake {wake} isn't in the inbox (any more)", kind="not_found")
        if as_json:
            print_json(done)
        else:
            said = f"handed to {session}" if action is Action.HAND else "dismissed"
            console.print(f"[green]✓[/] {said}", highlight=False)
