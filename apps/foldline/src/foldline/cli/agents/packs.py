"""`foldline packs`."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Rejected
from foldline.cli.client import gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, done, failures_shown
from gateway.operations.agents.pack_views import PackOfAgent, PacksOfAgent


class Action(StrEnum):
    """What to do."""

    LIST = "list"
    ENABLE = "enable"
    DISABLE = "disable"
    ORDER = "order"


def packs(
    action: Annotated[Action, typer.Argument(help="What to do.")] = Action.LIST,
    names: Annotated[
        list[str] | None, typer.Argument(help="Packs; with order, all that are enabled, first wins.")
    ] = None,
    agent: Annotated[str, typer.Option(help="Whose they are.")] = DEFAULT_AGENT,
    as_json: JsonOption = False,
) -> None:
    """List the packs of tools that an agent may have, and enable, disable or order them.

    All are off at first. Where two have a tool of the same name, the earlier one's keeps it.
    """
    with failures_shown(), gateway() as door:
        path = f"/agents/{agent_id(door, agent)}/packs"
        found = door.read(path, PacksOfAgent)
        if action is Action.LIST:
            none = "No packs are installed."
            columns = ("pack", "#tools", "what holds", "what it is for")
            listed(found.packs, columns, _row, none=none, as_json=as_json)
            return
        if not names:
            raise Rejected(f"Name the packs: foldline packs {action} NAME …", kind="invalid_request")
        wanted = _wanted(action, names, [one.name for one in found.packs if one.enabled])
        told = door.put(path, {"packs": wanted, "version": found.version})
        enabled = [one["name"] for one in told["packs"] if one["enabled"]]
        renamed = "".join(f"\n{one['tool']} is now called {one['name']}" for one in told["renamed"])
        done(told, f"Enabled: {', '.join(enabled) or 'none'}{renamed}", as_json)


def _wanted(action: Action, names: Sequence[str], now: Sequence[str]) -> list[str]:
    if action is Action.ENABLE:
        return [*now, *dict.fromkeys(name for name in names if name not in now)]
    if action is Action.DISABLE:
        off = next((name for name in names if name not in now), None)
        if off is not None:
            raise Rejected(f"{off} is not enabled", kind="not_found")
        return [name for name in now if name not in names]
    if sorted(names) != sorted(now):
        said = f"The enabled packs are {', '.join(now)}: name each of them once" if now else "None is enabled"
        raise Rejected(said, kind="invalid_request")
    return list(names)


def _row(pack: PackOfAgent) -> tuple[str, str, str, str]:
    if pack.problem is not None:
        holds = f"can't be used: {pack.problem}"
    elif not pack.installed:
        holds = "enabled, but not installed"
    else:
        holds = "enabled" if pack.enabled else "off"
    if pack.enabled and pack.missing_secrets:
        holds += f"; needs the secret {', '.join(pack.missing_secrets)} (foldline secrets set NAME)"
    return pack.name, str(len(pack.tools)), holds, pack.purpose
