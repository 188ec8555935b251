"""`foldline usage`: what agents have used of their quotas."""

from typing import Annotated

import typer

from agent_platform.log.quotas.daily import shown
from foldline.cli.client import gateway
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, console, failures_shown, print_json
from gateway.operations.agents.agents import Agents
from gateway.operations.agents.usages import AgentUsage, DatabaseUsage, LogUsage


def usage(
    agent: Annotated[str | None, typer.Argument(help="Which agent; without it, all.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what agents have added to the log today, how large their databases are, and what they may use."""
    with failures_shown(), gateway() as door:
        names = [agent_id(door, agent)] if agent else [one.id for one in door.read("/agents", Agents).agents]
        found = [door.read(f"/agents/{name}/usage", AgentUsage) for name in names]
        if as_json:
            print_json(found)
            return
        for one in found:
            console.print(f"[bold]{one.agent_id}[/]", highlight=False)
            console.print(f"  log today: {_of(one.log)}, until {one.log.begins_anew_at}", highlight=False)
            console.print(f"  database:  {_of(one.database)}", highlight=False)


def _of(one: LogUsage | DatabaseUsage) -> str:
    used, limit = one.used, one.limit
    said = "not known: no tool runner answers" if used is None else shown(used)
    if limit is None:
        return said
    return f"{said} of {shown(limit)}" if limit else f"{said}, no limit"
