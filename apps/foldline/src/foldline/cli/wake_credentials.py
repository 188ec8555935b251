"""`foldline wake-credentials`: the other services that may wake sessions."""

from enum import StrEnum
from typing import Annotated

import typer

from agent_contracts.errors import Rejected
from agent_domain.wakes.credentials import RATE, SIZE
from foldline.cli.client import gateway
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, console, failures_shown, print_json


class Action(StrEnum):
    """What to do."""

    LIST = "list"
    CREATE = "create"
    REVOKE = "revoke"
    NATS = "nats"


def wake_credentials(
    action: Annotated[Action, typer.Argument(help="What to do.")] = Action.LIST,
    name: Annotated[str | None, typer.Argument(help="The service: a-z, 0-9 and -.")] = None,
    agent: Annotated[
        list[str] | None, typer.Option(help="An agent whose sessions it may wake; else any.")
    ] = None,
    rate: Annotated[int, typer.Option(help="Wakes a minute.")] = RATE,
    size: Annotated[int, typer.Option(help="Bytes that one wake may have.")] = SIZE,
    as_json: JsonOption = False,
) -> None:
    """Let other services wake sessions, and no longer; `nats` prints the users for a NATS of your own.

    The token of new credentials is shown once. Revoked ones count no more at once.
    """
    with failures_shown(), gateway() as door:
        if action is Action.LIST:
            found = door.get("/wake-credentials")["credentials"]
            if as_json:
                print_json(found)
                return
            for one in found:
                whom = ", ".join(one["agents"]) or "any agent"
                console.print(
                    f"{one['name']}  [dim]{whom} · {one['rate']} a minute · {one['size']} bytes[/]",
                    highlight=False,
                )
            if not found:
                console.print("no service may wake sessions")
            return
        if action is Action.NATS:
            print(door.download("/wake-credentials/nats").decode(), end="")
            return
        if name is None:
            raise Rejected(
                f"Name the service: foldline wake-credentials {action} NAME", kind="invalid_request"
            )
        if action is Action.REVOKE:
            done = door.delete(f"/wake-credentials/{name}")
            if as_json:
                print_json(done)
            else:
                console.print(f"[green]✓[/] {name} may wake nobody any more", highlight=False)
            return
        agents = [agent_id(door, one) for one in agent or ()]
        made = door.post(f"/wake-credentials/{name}", {"agents": agents, "rate": rate, "size": size})
        if as_json:
            print_json(made)
            return
        console.print(f"[green]✓[/] {name} may wake sessions. Its token, shown this once:", highlight=False)
        console.print(made["token"], highlight=False, soft_wrap=True)
        console.print(
            f"[dim]HTTP: POST {door.url}/api/v1/wake, as a bearer token. NATS: user {made['nats_user']}, "
            f"inbox prefix {made['nats_inbox']}, subjects wake.{name}.>[/]",
            highlight=False,
            soft_wrap=True,
        )
