"""What a foreign server offers, in a terminal: how it is, its tools, what changed, and accepting them."""

import difflib
from collections.abc import Sequence
from typing import Any

import msgspec
import typer

from agent_contracts.api.mcp import McpDefinition, McpToolOfServer, McpToolsOfServer
from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway
from foldline.cli.output import print_json


def show_state(name: str, told: dict[str, Any], as_json: bool) -> None:
    """How it is, and what can be done; `Rejected` where it can't be used."""
    if as_json:
        print_json(told)
        return
    if told["state"] not in ("connected", "changed"):
        if told["stderr"]:
            typer.echo(told["stderr"].rstrip(), err=True)
        raise Rejected(f"{name} can't be used: {told['error']}{_remedy(name, told)}", kind="not_available")
    typer.echo(f"{name} answers: MCP {told['protocol']}, {told['tools']} tools")
    for lack in told["lacks"]:
        typer.echo(f"It is not confined as it could be: {lack}")
    for flaw in told["flaws"]:
        typer.echo(f"! {flaw}")
    if told["state"] == "changed":
        typer.echo(f"Some of its tools wait for you: foldline mcp accept {name}")


def show_tools(found: McpToolsOfServer, as_json: bool) -> None:
    """Each tool, how it stands, and how it was where that is something else."""
    if as_json:
        print_json(msgspec.to_builtins(found))
        return
    if not found.items:
        typer.echo("It has listed no tools yet. Try: foldline mcp test")
    for tool in found.items:
        marks = ", read-only" if tool.read_only else ""
        typer.echo(f"{tool.name} ({tool.standing}{marks}): {_first_line(tool)}")
        for line in changes(tool):
            typer.echo(f"    {line}")
    for name in found.gone:
        typer.echo(f"{name} (gone)")
    if found.left_out:
        typer.echo(f"{found.left_out} more tools were left out: there is no room for them")
    if found.incomplete:
        typer.echo(f"The list may not be complete: {found.incomplete}")


def changes(tool: McpToolOfServer) -> Sequence[str]:
    """What the server says else than when the tool was accepted, line by line."""
    if tool.before is None:
        return ()
    return list(difflib.ndiff(_lines(tool.before), _lines(tool.now)))


class McpAcceptance:
    """Shows what a server offers, and accepts it."""

    def __init__(self, door: Gateway, path: str, name: str) -> None:
        self._door = door
        self._path = path
        self._name = name

    def accepted(
        self, tools: Sequence[str] | None, read_only: Sequence[str], *, asking: bool
    ) -> dict[str, Any]:
        """The server with these tools accepted (None: all). `Rejected` where a person says no."""
        found = self._door.read(f"{self._path}/tools", McpToolsOfServer)
        if found.version is None:
            raise Rejected(f"{self._name} has listed no tools yet. Try: foldline mcp test {self._name}")
        if asking:
            show_tools(found, as_json=False)
            if not typer.confirm("Offer these to the agent, as they are here?"):
                raise Rejected("Nothing was accepted", kind="refused")
        body = {"version": found.version, "accept": tools, "read_only": dict.fromkeys(read_only, True)}
        told: dict[str, Any] = self._door.post(f"{self._path}:accept", body)
        return told


def _lines(definition: McpDefinition) -> list[str]:
    hints = [f"{name}: {value}" for name, value in sorted(definition.hints.items())]
    return [
        definition.title,
        *definition.description.splitlines(),
        *definition.parameters.splitlines(),
        *hints,
        *([f"shows the app {definition.app}: {_page(definition)}"] if definition.app else []),
        *(["only its app may call it"] if definition.for_apps_only else []),
        *(["no app may call it"] if definition.for_models_only else []),
    ]


def _page(definition: McpDefinition) -> str:
    page = definition.page
    if page is None:
        return "its page is not available, so it isn't shown"
    return f"a page of {page.size:,} bytes, SHA-256 {page.sha256}"


def _first_line(tool: McpToolOfServer) -> str:
    return tool.flaw or (tool.now.description or tool.now.title).partition("\n")[0][:200]


def _remedy(name: str, told: dict[str, Any]) -> str:
    if told["needs"]:
        return f". If you trust it: foldline mcp allow {name} --{told['needs']}"
    return ""
