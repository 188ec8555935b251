"""`foldline usage`: what agents have used of their quotas."""

from typing import Annotated, Any

import typer

from agent_platform.log.quotas.daily import shown
from foldline.cli.client import gateway
from foldline.cli.output import JsonOption, console, failures_shown, print_json


def usage(
    agent: Annotated[str | None, typer.Argument(help="Which agent; without it, all.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what agents have added to the log today, how large their databases are, and what they may use."""
    with failures_shown(), gateway() as door:
        names = [agent] if agent else [one["id"] for one in door.get("/agents")["agents"]]
        found = [door.get(f"/agents/{name}/usage") for name in names]
        if as_json:
            print_json(found)
            return
        for one in found:
            console.print(f"[bold]{one['agent_id']}[/]", highlight=False)
            log, database = one["log"], one["database"]
            console.print(f"  log today: {_of(log)}, until {log['begins_anew_at']}", highlight=False)
            console.print(f"  database:  {_of(database)}", highlight=False)


def _of(one: dict[str, Any]) -> str:
    used, limit = one["used"], one["limit"]
    said = "not known: no tool runner answers" if used is None else shown(used)
    if limit is None:
        return said
    return f"{said} of {shown(limit)}" if limit else f"{said}, no limit"
