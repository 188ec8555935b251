"""`foldline mcp login`: where to log in for a server, and whether it went well."""

import time

import msgspec
import typer

from agent_contracts.api.mcp import McpLoginBegun, McpServerOfAgent
from agent_contracts.errors import Rejected
from agent_contracts.questions.mcp_logins import BEGUN_S
from foldline.cli.client import Gateway
from foldline.cli.output import print_json

_LOOKS_EACH_S = 1.0


def log_in(door: Gateway, path: str, name: str, as_json: bool) -> None:
    """Say where, and wait until the person was there. As JSON: say where, and don't wait."""
    before = _login(door, path)
    begun = msgspec.convert(door.post(f"{path}:log-in", {}), McpLoginBegun)
    if as_json:
        print_json(msgspec.to_builtins(begun))
        return
    if not begun.url:
        typer.echo(f"{name}: logged in at {begun.issuer}")
        return
    typer.echo(f"Look at this address of {begun.issuer}, and open it in a browser within ten minutes:")
    typer.echo(f"\n{begun.url}\n")
    deadline = time.monotonic() + BEGUN_S
    while (now := _login(door, path)) in (("", now[1]), before):
        if time.monotonic() > deadline:
            raise Rejected("Nobody logged in within ten minutes. Begin again", kind="expired")
        time.sleep(_LOOKS_EACH_S)
    typer.echo(f"{name}: logged in at {now[0]}")


def _login(door: Gateway, path: str) -> tuple[str, str]:
    """Where somebody is logged in for the server, and since when it is as it is."""
    status = door.read(path, McpServerOfAgent).status
    return (status.login, status.changed_at) if status is not None else ("", "")
