"""`foldline secrets`."""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from agent_contracts.api.secrets import Secret
from agent_contracts.api.wire import Page
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Rejected
from foldline.cli.agents.thing_client import ThingClient, ThingCommand
from foldline.cli.client import gateway
from foldline.cli.output import JsonOption, done, failures_shown
from foldline.cli.streams import STANDARD, written_text

_SECRET = ThingCommand("secret", "secrets", "secrets", "deleted", "deleted")


class SecretAction(StrEnum):
    """The action to take."""

    LIST = "list"
    SET = "set"
    DELETE = "delete"


def secrets(
    action: Annotated[SecretAction, typer.Argument(help="The action to take.")] = SecretAction.LIST,
    name: Annotated[str | None, typer.Argument(help="The secret's name: A-Z, 0-9 and _.")] = None,
    host: Annotated[
        list[str] | None,
        typer.Option(help="A host the secret may be sent to; *.example.org for subdomains. Repeatable."),
    ] = None,
    reveal: Annotated[
        bool, typer.Option(help="Give the value to the agent's code, for example for signing.")
    ] = False,
    agent: Annotated[str, typer.Option(help="The agent.")] = DEFAULT_AGENT,
    as_json: JsonOption = False,
) -> None:
    """Set, list or delete an agent's secrets. The agent can send them to their hosts but never sees them.

    The value is prompted for, or read from standard input; never pass it on the command line.
    """
    with failures_shown(), gateway() as door:
        kept = ThingClient(door, agent, _SECRET)
        if action is SecretAction.LIST:
            how = " Set one: foldline secrets set NAME --host HOST"
            kept.list(kept.read(Page[Secret]).items, ("secret", "sent to"), _row, as_json, how)
            return
        name = kept.named(name, action)
        if action is SecretAction.DELETE:
            kept.remove(name, as_json)
            return
        if not host:
            raise Rejected("Say by --host where it may be sent", kind="invalid_request")
        body = {"value": _value(name), "hosts": host, "reveal": reveal}
        done(door.put(f"{kept.path}/{name}", body), f"{name} is set", as_json)


def _row(one: Secret) -> tuple[str, ...]:
    return one.name, ", ".join(one.hosts) + (" · shown to code" if one.reveal else "")


def _value(name: str) -> str:
    if sys.stdin.isatty():
        return str(typer.prompt(f"value of {name}", hide_input=True))
    return written_text(STANDARD).removesuffix("\n").removesuffix("\r")
