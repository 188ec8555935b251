"""`foldline wake-credentials`: the other services that may wake sessions."""

from enum import StrEnum
from typing import Annotated

import typer

from agent_contracts.api.wakes import RATE, SIZE, AllowedWakes
from agent_contracts.api.wire import Page
from foldline.cli.client import gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, console, done, failures_shown, needed, print_json


class WakeCredentialAction(StrEnum):
    """The action to take."""

    LIST = "list"
    CREATE = "create"
    REVOKE = "revoke"
    NATS = "nats"


def wake_credentials(
    action: Annotated[
        WakeCredentialAction, typer.Argument(help="The action to take.")
    ] = WakeCredentialAction.LIST,
    name: Annotated[str | None, typer.Argument(help="The service: a-z, 0-9 and -.")] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(help="An agent whose sessions the service may wake. Repeatable (default: any)."),
    ] = None,
    rate: Annotated[int, typer.Option(help="Wakes allowed per minute.")] = RATE,
    size: Annotated[int, typer.Option(help="Largest size of a wake, in bytes.")] = SIZE,
    as_json: JsonOption = False,
) -> None:
    """Create, list or revoke credentials for services that wake sessions.

    A new token is shown once. Revoking takes effect at once. `nats` prints the users for your own NATS.
    """
    with failures_shown(), gateway() as door:
        if action is WakeCredentialAction.LIST:
            found = door.read("/wake-credentials", Page[AllowedWakes]).items
            columns = ("service", "#rate", "#size", "agents")
            listed(found, columns, _row, none="No credentials yet.", as_json=as_json)
            return
        if action is WakeCredentialAction.NATS:
            print(door.download("/wake-users").decode(), end="")
            return
        name = needed(name, "Name the service", f"wake-credentials {action} NAME")
        if action is WakeCredentialAction.REVOKE:
            done(door.delete(f"/wake-credentials/{name}"), f"{name} can no longer wake sessions", as_json)
            return
        agents = [agent_id(door, one) for one in agent or ()]
        made = door.post("/wake-credentials", {"name": name, "agents": agents, "rate": rate, "size": size})
        if as_json:
            print_json(made)
            return
        console.print(f"[green]✓[/] {name} may wake sessions. Its token, shown this once:", highlight=False)
        console.print(made["token"], highlight=False, soft_wrap=True)
        console.print(
            f"[dim]HTTP: POST {door.url}/api/v1/wakes, as a bearer token. NATS: {made['nats_url']}, "
            f"user {made['nats_user']}, "
            f"inbox prefix {made['nats_inbox']}, subjects wake.{name}.>[/]",
            highlight=False,
            soft_wrap=True,
        )


def _row(one: AllowedWakes) -> tuple[str, ...]:
    return one.name, f"{one.rate} a minute", f"{one.size} bytes", ", ".join(one.agents) or "any agent"
