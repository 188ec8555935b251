"""`foldline models`."""

from enum import StrEnum
from typing import Annotated

import msgspec
import typer
from rich.markup import escape
from rich.table import Table

from agent_contracts.api.settings import ModelTest
from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_contracts.questions.model_tests import ModelWish
from foldline.cli.client import Gateway, gateway
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, clean, console, done, failures_shown, print_json

_MARKS = {True: "[green]✓[/]", False: "[bold red]✗[/]", None: "[yellow]?[/]"}


class ModelAction(StrEnum):
    """The action to take."""

    LIST = "list"
    TEST = "test"
    USE = "use"


def models(
    action: Annotated[ModelAction, typer.Argument(help="The action to take.")] = ModelAction.LIST,
    model: Annotated[
        str | None, typer.Argument(help="A model, such as openai/my-model (default: the configured one).")
    ] = None,
    server: Annotated[
        str | None, typer.Option(help="The model's server, such as http://host:8000/v1.")
    ] = None,
    agent: Annotated[str | None, typer.Option(help="Only this agent.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List a server's models, test one, or make it the default.

    `test` exits with 1 if the model lacks something that agents need: answers, tool calls or a large enough
    window. It makes about eight short requests, which your provider bills.
    """
    with failures_shown(), gateway() as door:
        path = "/settings" if agent is None else f"/agents/{agent_id(door, agent)}/settings"
        values: dict[str, Json] = {"model": model, "model_base_url": server}
        given = {name: value for name, value in values.items() if value is not None}
        match action:
            case ModelAction.LIST:
                _list(_asked(door, path, given, "list"), as_json)
            case ModelAction.TEST:
                _test(_asked(door, path, given, "checks"), as_json)
            case ModelAction.USE:
                if model is None:
                    raise Rejected(
                        "Name a model: foldline models use openai/my-model", kind="invalid_request"
                    )
                found = _asked(door, path, given, "ready")
                if found.problem is not None:
                    raise Rejected(found.problem, kind="not_installed")
                door.put(path, {"values": given})
                done({"model": model, "server": server}, f"{model} answers from the next call on", as_json)


def _asked(door: Gateway, path: str, values: dict[str, Json], wants: ModelWish) -> ModelTest:
    body = {"values": values, "wants": wants}
    return msgspec.convert(door.ask_model(f"{path}:test-model", body), ModelTest)


def _list(found: ModelTest, as_json: bool) -> None:
    if as_json:
        print_json({"server": found.server, "models": found.models, "problem": found.problem})
    else:
        for name in found.models:
            console.print(clean(name), markup=False, highlight=False, soft_wrap=True)
        if found.problem is not None:
            console.print(clean(found.problem), markup=False, highlight=False, soft_wrap=True)
        elif not found.models:
            console.print("The server has no models: load or pull one there.")
    if found.problem is not None:
        raise typer.Exit(1)


def _test(found: ModelTest, as_json: bool) -> None:
    if as_json:
        print_json(msgspec.to_builtins(found))
    else:
        where = f" at {found.server}" if found.server else ""
        console.print(f"[bold]{escape(clean(found.model))}[/]{escape(clean(where))}", highlight=False)
        table = Table(box=None, pad_edge=False)
        for column in ("", "check", "needed", "what it did"):
            table.add_column(column, no_wrap=column != "what it did")
        for one in found.checks:
            needed = "yes" if one.needed else "no"
            table.add_row(_MARKS[one.ok], escape(one.name), needed, escape(clean(one.words)))
        console.print(table)
        if not found.checks and found.problem is not None:
            console.print(clean(found.problem), markup=False, highlight=False, soft_wrap=True)
    if not found.ok:
        raise typer.Exit(1)
