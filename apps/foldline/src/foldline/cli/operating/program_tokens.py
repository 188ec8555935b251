"""`foldline program-tokens`: the programs that may use the API, or an agent by MCP."""

from enum import StrEnum
from typing import Annotated

import typer

from agent_contracts.api.program_tokens import RIGHT_WORDS, AllowedProgram, ProgramRight
from agent_contracts.api.wire import Page
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from foldline.cli.client import gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, console, done, failures_shown, needed, print_json

_RIGHTS = ". ".join(f"{right}: {words}" for right, words in RIGHT_WORDS.items())


class ProgramTokenAction(StrEnum):
    """The action to take."""

    LIST = "list"
    CREATE = "create"
    REVOKE = "revoke"


def program_tokens(
    action: Annotated[
        ProgramTokenAction, typer.Argument(help="The action to take.")
    ] = ProgramTokenAction.LIST,
    name: Annotated[str | None, typer.Argument(help="The program: a-z, 0-9 and -.")] = None,
    agent: Annotated[str, typer.Option(help="create: the one agent the program may use.")] = DEFAULT_AGENT,
    any_agent: Annotated[
        bool, typer.Option("--any-agent", help="create: let the program use every agent. Not for MCP.")
    ] = False,
    right: Annotated[
        list[ProgramRight] | None,
        typer.Option(help=f"create: a right of the program. Repeatable (default: read and say). {_RIGHTS}."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Create, list or revoke tokens for programs that use the API or an agent by MCP.

    A new token is shown once. Revoking takes effect at once. A service that Foldline starts has one for what
    it declares; it is made anew at each start."""
    with failures_shown(), gateway() as door:
        if action is ProgramTokenAction.LIST:
            found = door.read("/program-tokens", Page[AllowedProgram]).items
            none = "No program has a token. Make one: foldline program-tokens create NAME"
            listed(found, ("program", "agent", "may", "since"), _row, none=none, as_json=as_json)
            return
        name = needed(name, "Name the program", f"program-tokens {action} NAME")
        if action is ProgramTokenAction.REVOKE:
            found = door.read("/program-tokens", Page[AllowedProgram]).items
            returns = any(one.name == name and one.service for one in found)
            until = ". Its service gets a new one at the next start: uninstall it to end it for good"
            said = f"The token of {name} is revoked{until if returns else ''}"
            done(door.delete(f"/program-tokens/{name}"), said, as_json)
            return
        rights = right or [ProgramRight.READ, ProgramRight.SAY]
        of = None if any_agent else agent_id(door, agent)
        made = door.post("/program-tokens", {"name": name, "agent_id": of, "rights": rights})
        if as_json:
            print_json(made)
            return
        console.print(f"[green]✓[/] {name} may {', '.join(rights)}. Its token, shown this once:")
        console.print(made["token"], highlight=False, soft_wrap=True)
        console.print(
            f"[dim]The API: {door.url}/api/v1, as a bearer token. MCP: {door.url}/mcp likewise; by stdio: "
            "foldline mcp serve, with the token in FOLDLINE_MCP_TOKEN[/]",
            highlight=False,
            soft_wrap=True,
        )


def _row(one: AllowedProgram) -> tuple[str, ...]:
    may = ", ".join(one.rights)
    return one.name, one.agent_id or "any", f"{may} (a service)" if one.service else may, one.created_at
