"""`foldline site-logins`: the logins on sites that a person kept for an agent."""

from enum import StrEnum
from typing import Annotated

import typer

from agent_contracts.api.browser import KeptLogin, KeptLogins
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from foldline.cli.agents.kept import Keeper, Kept
from foldline.cli.client import gateway
from foldline.cli.output import JsonOption, failures_shown

_LOGIN = Kept("login", "site-logins", "site-logins", "forgotten", "forgotten")


class Action(StrEnum):
    """The action to take."""

    LIST = "list"
    FORGET = "forget"


def site_logins(
    action: Annotated[Action, typer.Argument(help="The action to take.")] = Action.LIST,
    site: Annotated[str | None, typer.Argument(help="The site, as listed.")] = None,
    agent: Annotated[str, typer.Option(help="The agent.")] = DEFAULT_AGENT,
    as_json: JsonOption = False,
) -> None:
    """List or forget the sites where an agent's browser stays logged in.

    A site is added when a person takes over the browser, logs in, and ticks "stay logged in".
    """
    with failures_shown(), gateway() as door:
        kept = Keeper(door, agent, _LOGIN)
        if action is Action.LIST:
            how = " One is kept where you tick it after a login in the agent's browser."
            kept.list(kept.read(KeptLogins).logins, ("site", "kept", "in session"), _row, as_json, how)
        else:
            kept.remove(kept.named(site, action), as_json)


def _row(one: KeptLogin) -> tuple[str, ...]:
    return one.site, one.kept_at, one.session_id
