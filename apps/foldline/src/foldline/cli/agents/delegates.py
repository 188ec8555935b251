"""`foldline delegates`."""

from enum import StrEnum
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
import typer

from agent_contracts.api.delegates import DelegatesOfAgent, TriedDelegate, WriteDelegates
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.entities.delegates import Delegate, DelegateType
from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway, gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, done, failures_shown, needed


class DelegateAction(StrEnum):
    """The action to take."""

    LIST = "list"
    ADD = "add"
    TEST = "test"
    REMOVE = "remove"


def delegates(
    action: Annotated[DelegateAction, typer.Argument(help="The action to take.")] = DelegateAction.LIST,
    name: Annotated[str | None, typer.Argument(help="The delegate's name.")] = None,
    url: Annotated[str, typer.Option(help="The address of the agent (A2A) or of the model's server.")] = "",
    model: Annotated[str, typer.Option(help="The model to use, for a delegate that is a model.")] = "",
    command: Annotated[str, typer.Option(help="The command to start, for a coding agent (ACP).")] = "",
    secret: Annotated[str, typer.Option(help="The name of the secret to authenticate with.")] = "",
    description: Annotated[str, typer.Option(help="The purpose of the delegate. The agent reads it.")] = "",
    prompt: Annotated[str, typer.Option(help="The system prompt, for a delegate that is a model.")] = "",
    agent: Annotated[str, typer.Option(help="The agent.")] = DEFAULT_AGENT,
    as_json: JsonOption = False,
) -> None:
    """List, add, test or remove the agents and models that an agent can delegate work to.

    Pass secrets by name: create them with `foldline secrets set`.
    """
    with failures_shown(), gateway() as door:
        path = f"/agents/{agent_id(door, agent)}/delegates"
        if action is DelegateAction.LIST:
            none = "No delegates. Name one: foldline delegates add NAME --url URL"
            shown = door.read(path, DelegatesOfAgent).delegates
            listed(shown, ("name", "type", "where", "what it is for"), _row, none=none, as_json=as_json)
            return
        name = needed(name, "Name the delegate", f"delegates {action} NAME")
        if action is DelegateAction.TEST:
            told = door.post(f"{path}/{quote(name, safe='')}:test", {})
            done(told, f"{name} answered: {msgspec.convert(told, TriedDelegate).answer}", as_json)
            return
        made = None
        if action is DelegateAction.ADD:
            kind: DelegateType = "acp" if command else "openai" if model else "a2a"
            made = Delegate(name, kind, url, description, secret or None, model, prompt, command)
        done(_changed(door, path, name, made), f"{name} is {'named' if made else 'removed'}", as_json)


def _changed(door: Gateway, path: str, name: str, made: Delegate | None) -> Any:
    """Put this in place of the one of its name, or at the end; without it, remove that."""
    found = door.read(path, DelegatesOfAgent)
    there = [one.name for one in found.delegates]
    if made is None and name not in there:
        raise Rejected(f"There is no delegate named {name}", kind="not_found")
    kept: list[Delegate] = []
    for one in found.delegates:
        if one.name != name:
            kept.append(one)
        elif made is not None:
            kept.append(made)
    if made is not None and name not in there:
        kept.append(made)
    return door.put(path, WriteDelegates(delegates=kept, version=found.version))


def _row(one: Delegate) -> tuple[str, str, str, str]:
    by = f"by the secret {one.secret}" if one.secret else ""
    more = "".join(f" · {text}" for text in (one.model, by) if text)
    return one.name, one.type, (one.command or one.url) + more, one.description
