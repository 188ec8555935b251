"""`foldline site-logins`: the logins on sites that a person kept for an agent."""

from enum import StrEnum
from typing import Annotated

import typer

from agent_contracts.api.browser import KeptLogin
from agent_contracts.api.wire import Page
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from foldline.cli.agents.thing_client import ThingClient, ThingCommand
from foldline.cli.client import gateway
from foldline.cli.output import JsonOption, failures_shown

_LOGIN = ThingCommand("login", "site-logins", "site-logins", "forgotten", "forgotten")


class SiteLoginAction(StrEnum):
    """The action to take."""

    LIST = "list"
    FORGET = "forget"


def site_logins(
    action: Annotated[SiteLoginAction, typer.Argument(help="The action to take.")] = SiteLoginAction.LIST,
    site: Annotated[str | None, typer.Argument(help="The site, as listed.")] = None,
    agent: Annotated[str, typer.Option(help="The agent.")] = DEFAULT_AGENT,
    as_json: JsonOption = False,
) -> None:
    """List or forget the sites where an agent's browser stays logged in.

    A site is added when a person takes over the browser, logs in, and ticks "stay logged in".
    """
    with failures_shown(), gateway() as door:
        kept = ThingClient(door, agent, _LOGIN)
        if action is SiteLoginAction.LIST:
            how = " One is kept where you tick it after a login in the agent's browser."
            kept.list(kept.read(Page[KeptLogin]).items, ("site", "kept", "in session"), _row, as_json, how)
        else:
            kept.remove(kept.named(site, action), as_json)


def _row(one: KeptLogin) -> tuple[str, ...]:
    return one.site, one.kept_at, one.session_id
