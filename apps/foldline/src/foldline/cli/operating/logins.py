"""`foldline logins`: the browsers that are logged in."""

from enum import StrEnum
from typing import Annotated

import typer

from agent_contracts.api.logins import Login
from agent_contracts.api.wire import Page
from agent_contracts.errors import Rejected
from foldline.cli.client import gateway
from foldline.cli.listing import listed
from foldline.cli.naming import whole
from foldline.cli.output import JsonOption, done, failures_shown


class LoginAction(StrEnum):
    """The action to take."""

    LIST = "list"
    REVOKE = "revoke"


def logins(
    action: Annotated[LoginAction, typer.Argument(help="The action to take.")] = LoginAction.LIST,
    login: Annotated[
        str | None, typer.Argument(help="The login to end: its id, or the first characters of it.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="End all logins.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List logged-in browsers, or log out one or all of them. Takes effect within 5 s."""
    with failures_shown(), gateway() as door:
        if action is LoginAction.REVOKE and every:
            ended = door.delete("/logins")
        else:
            found = door.read("/logins", Page[Login]).items
            if action is LoginAction.LIST:
                columns = ("login", "since", "last seen", "from", "browser")
                listed(found, columns, _row, none="No browser is logged in.", as_json=as_json)
                return
            if login is None:
                raise Rejected("Say which: foldline logins revoke LOGIN (or --all)", kind="invalid_request")
            ended = door.delete(f"/logins/{whole([one.id for one in found], login, 'login')}")
        done(ended, f"Logged out: {ended['revoked']}", as_json)


def _row(one: Login) -> tuple[str, ...]:
    return one.id, one.created_at, one.seen_at, one.address, one.browser
