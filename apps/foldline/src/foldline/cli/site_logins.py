"""`foldline site-logins`: the logins on sites that a person kept for an agent."""

from enum import StrEnum
from typing import Annotated
from urllib.parse import quote

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
    FORGET = "forget"


def site_logins(
    action: Annotated[Action, typer.Argument(help="What to do.")] = Action.LIST,
    site: Annotated[str | None, typer.Argument(help="The site, as listed.")] = None,
    agent: Annotated[str, typer.Option(help="Whose it is.")] = DEFAULT_AGENT,
    as_json: JsonOption = False,
) -> None:
    """List or forget the sites on which an agent's browser is logged in from the start.

    They are kept where a person ticked it after a login in a browser that was handed over to them.
    """
    with failures_shown(), gateway() as door:
        agent = agent_id(door, agent)
        path = f"/agents/{agent}/site-logins"
        if action is Action.LIST:
            found = door.get(path)["logins"]
            if as_json:
                print_json(found)
                return
            for one in found:
                about = f"kept {one['kept_at']} in {one['session_id']}"
                console.print(f"{escape(one['site'])}  [dim]{about}[/]", highlight=False)
            return
        if site is None:
            raise Rejected("Name the site: foldline site-logins forget SITE", kind="invalid_request")
        done = door.delete(f"{path}/{quote(site, safe='')}")
        if not done["forgotten"]:
            raise Rejected(f"{agent} has no kept login of {site}", kind="not_found")
        if as_json:
            print_json(done)
        else:
            console.print(f"[green]✓[/] the login of {escape(site)} is forgotten")
