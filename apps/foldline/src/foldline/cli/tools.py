"""`foldline tools`."""

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
    PIN = "pin"
    UNPIN = "unpin"


def tools(
    action: Annotated[Action, typer.Argument(help="What to do.")] = Action.LIST,
    names: Annotated[list[str] | None, typer.Argument(help="Tools, built-in or the agent's own.")] = None,
    agent: Annotated[str, typer.Option(help="Whose they are.")] = DEFAULT_AGENT,
    as_json: JsonOption = False,
) -> None:
    """List an agent's own tools, and pin tools: models get pinned ones with each request.

    Others they find when they need them. Each pinned tool costs tokens in every request; 20 is the most.
    """
    with failures_shown(), gateway() as door:
        path = f"/agents/{agent_id(door, agent)}"
        pinned = door.get(f"{path}/pinned-tools")
        if action is Action.LIST:
            own = door.get(f"{path}/tools")["definitions"]
            if as_json:
                print_json({"pinned": pinned["names"], "own": own})
                return
            enabled = {one["name"]: one["enabled"] for one in own}
            for name in sorted({*enabled, *pinned["names"]}):
                notes = [
                    *(["pinned"] if name in pinned["names"] else []),
                    *([] if name in enabled else ["not made by the agent"]),
                    *([] if enabled.get(name, True) else ["disabled"]),
                ]
                console.print(f"{name}  [dim]{', '.join(notes)}[/]", highlight=False)
            return
        if not names:
            raise Rejected(f"Name the tools: foldline tools {action} NAME …", kind="invalid_request")
        now = {*pinned["names"], *names} if action is Action.PIN else {*pinned["names"]} - {*names}
        missing = sorted({*names} - {*pinned["names"]}) if action is Action.UNPIN else []
        if missing:
            raise Rejected(f"{missing[0]} is not pinned", kind="not_found")
        done = door.put(f"{path}/pinned-tools", {"names": sorted(now), "version": pinned["version"]})
        if as_json:
            print_json(done)
        else:
            console.print(f"[green]✓[/] pinned: {', '.join(done['names']) or 'none'}", highlight=False)
