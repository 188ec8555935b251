"""`foldline secrets`."""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from agent_contracts.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Rejected
from foldline.cli.client import gateway
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, console, failures_shown, print_json


class Action(StrEnum):
    """What to do."""

    LIST = "list"
    SET = "set"
    DELETE = "delete"


def secrets(
    action: Annotated[Action, typer.Argument(help="What to do.")] = Action.LIST,
    name: Annotated[str | None, typer.Argument(help="The secret's name: A-Z, 0-9 and _.")] = None,
    host: Annotated[
        list[str] | None, typer.Option(help="A host it may be sent to; *.example.org for those below.")
    ] = None,
    reveal: Annotated[
        bool, typer.Option(help="Give code of the agent the value itself (for signing).")
    ] = False,
    agent: Annotated[str, typer.Option(help="Whose it is.")] = DEFAULT_AGENT,
    as_json: JsonOption = False,
) -> None:
    """Set, list or delete the secrets that an agent may send to their hosts, and never sees.

    The value is asked for, or read from standard input: it stands in no command line.
    """
    with failures_shown(), gateway() as door:
        agent = agent_id(door, agent)
        path = f"/agents/{agent}/secrets"
        if action is Action.LIST:
            found = door.get(path)["secrets"]
            if as_json:
                print_json(found)
                return
            for one in found:
                shown = " · shown to code" if one["reveal"] else ""
                console.print(f"{one['name']}  [dim]{', '.join(one['hosts'])}{shown}[/]", highlight=False)
            return
        if name is None:
            raise Rejected(f"Name the secret: foldline secrets {action} NAME", kind="invalid_request")
        if action is Action.SET:
            if not host:
                raise Rejected("Say by --host where it may be sent", kind="invalid_request")
            done = door.put(f"{path}/{name}", {"value": _value(name), "hosts": host, "reveal": reveal})
        else:
            done = door.delete(f"{path}/{name}")
            if not done["deleted"]:
                raise Rejected(f"{agent} has no secret named {name}", kind="not_found")
        if as_json:
            print_json(done)
        else:
            console.print(f"[green]✓[/] {name} is {'set' if action is Action.SET else 'deleted'}")


def _value(name: str) -> str:
    if sys.stdin.isatty():
        return str(typer.prompt(f"value of {name}", hide_input=True))
    return sys.stdin.read().removesuffix("\n")
