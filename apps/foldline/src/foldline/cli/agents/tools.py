"""`foldline tools`."""

from enum import StrEnum
from typing import Annotated

import typer

from agent_contracts.api.definitions import DefinitionName
from agent_contracts.api.tool_names import ChosenTools, ExposedToolNames
from agent_contracts.api.wire import Page
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.entities.chosen_tools import PROMPT
from agent_contracts.errors import Rejected
from foldline.cli.client import gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, done, failures_shown, print_json


class ToolAction(StrEnum):
    """The action to take."""

    LIST = "list"
    PIN = "pin"
    UNPIN = "unpin"
    EXPOSE = "expose"
    HIDE = "hide"


def tools(
    action: Annotated[ToolAction, typer.Argument(help="The action to take.")] = ToolAction.LIST,
    names: Annotated[
        list[str] | None, typer.Argument(help="Names of tools: built-in or the agent's own.")
    ] = None,
    as_: Annotated[
        str | None,
        typer.Option(
            "--as",
            help="Expose the tool as a prompt, or as a resource at an address such as weather://{city}.",
        ),
    ] = None,
    agent: Annotated[str, typer.Option(help="The agent.")] = DEFAULT_AGENT,
    as_json: JsonOption = False,
) -> None:
    """List an agent's own tools, pin tools, or expose them to programs.

    Pinned tools are sent with every request and cost tokens each time (20 at most). Others are looked up when
    needed. Programs that use the agent by MCP can run the tools you expose. With --as, a tool is exposed as a
    prompt, or as a resource whose address has the tool's arguments as variables.
    """
    with failures_shown(), gateway() as door:
        path = f"/agents/{agent_id(door, agent)}"
        pinned = door.read(f"{path}/pinned-tools", ChosenTools)
        exposed = door.read(f"{path}/exposed-tools", ExposedToolNames)
        if action is ToolAction.LIST:
            own = door.read(f"{path}/tools", Page[DefinitionName]).items
            if as_json:
                told = {"pinned": pinned.names, "exposed": exposed.names, "offered_as": exposed.offered_as}
                print_json({**told, "own": own})
                return
            enabled = {one.name: one.enabled for one in own}

            def row(name: str) -> tuple[str, str]:
                notes = (
                    (name in pinned.names, "pinned"),
                    (name in exposed.names, _exposed(exposed.offered_as.get(name))),
                    (name not in enabled, "not made by the agent"),
                    (not enabled.get(name, True), "disabled"),
                )
                return name, ", ".join(note for holds, note in notes if holds)

            names = sorted({*enabled, *pinned.names})
            none = "The agent has made no tools, and none is pinned."
            listed(names, ("tool", "what holds"), row, none=none, as_json=False)
            return
        if as_ is not None and action is not ToolAction.EXPOSE:
            raise Rejected("--as goes with expose", kind="invalid_request")
        if not names:
            raise Rejected(f"Name the tools: foldline tools {action} NAME …", kind="invalid_request")
        word, chosen = (
            ("pinned", pinned) if action in (ToolAction.PIN, ToolAction.UNPIN) else ("exposed", exposed)
        )
        more = action in (ToolAction.PIN, ToolAction.EXPOSE)
        missing = [] if more else sorted({*names} - {*chosen.names})
        if missing:
            raise Rejected(f"{missing[0]} is not {word}", kind="not_found")
        now = {*chosen.names, *names} if more else {*chosen.names} - {*names}
        body = {"names": sorted(now), "version": chosen.version}
        if action is ToolAction.EXPOSE:
            others = {name: one for name, one in exposed.offered_as.items() if name not in names}
            body["offered_as"] = others if as_ is None else {**others, **dict.fromkeys(names, as_)}
        told = door.put(f"{path}/{word}-tools", body)
        done(told, f"{word.capitalize()}: {', '.join(told['names']) or 'none'}", as_json)


def _exposed(offered_as: str | None) -> str:
    if offered_as is None:
        return "exposed"
    return "exposed as a prompt" if offered_as == PROMPT else f"exposed at {offered_as}"
