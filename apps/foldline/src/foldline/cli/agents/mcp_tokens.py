"""`foldline mcp-tokens`: the programs that may use an agent by MCP."""

from enum import StrEnum
from typing import Annotated

import typer

from agent_contracts.api.mcp_clients import AllowedMcpClient, McpScope
from agent_contracts.api.wire import Page
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from foldline.cli.client import gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, console, done, failures_shown, needed, print_json


class McpTokenAction(StrEnum):
    """The action to take."""

    LIST = "list"
    CREATE = "create"
    REVOKE = "revoke"


def mcp_tokens(
    action: Annotated[McpTokenAction, typer.Argument(help="The action to take.")] = McpTokenAction.LIST,
    name: Annotated[str | None, typer.Argument(help="The program: a-z, 0-9 and -.")] = None,
    agent: Annotated[str, typer.Option(help="create: the agent the program may use.")] = DEFAULT_AGENT,
    scope: Annotated[
        list[McpScope] | None,
        typer.Option(help="create: a right of the program. Repeatable (default: read and ask)."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Create, list or revoke tokens for programs that use an agent by MCP.

    A new token is shown once. Revoking takes effect at once."""
    with failures_shown(), gateway() as door:
        if action is McpTokenAction.LIST:
            found = door.read("/mcp-tokens", Page[AllowedMcpClient]).items
            none = "No program may use an agent by MCP. Let one: foldline mcp-tokens create NAME"
            listed(found, ("program", "agent", "may", "since"), _row, none=none, as_json=as_json)
            return
        name = needed(name, "Name the program", f"mcp-tokens {action} NAME")
        if action is McpTokenAction.REVOKE:
            done(door.delete(f"/mcp-tokens/{name}"), f"{name} can no longer use an agent", as_json)
            return
        scopes = scope or [McpScope.READ, McpScope.ASK]
        made = door.post("/mcp-tokens", {"name": name, "agent_id": agent_id(door, agent), "scopes": scopes})
        if as_json:
            print_json(made)
            return
        console.print(f"[green]✓[/] {name} may {', '.join(scopes)}. Its token, shown this once:")
        console.print(made["token"], highlight=False, soft_wrap=True)
        console.print(
            f"[dim]By HTTP: {door.url}/mcp, as a bearer token. By stdio: foldline mcp serve, with the token "
            "in FOLDLINE_MCP_TOKEN[/]",
            highlight=False,
            soft_wrap=True,
        )


def _row(one: AllowedMcpClient) -> tuple[str, ...]:
    return one.name, one.agent_id, ", ".join(one.scopes), one.created_at
