"""`foldline adaptations`: what is changed in requests to models, since their servers refused them."""

from enum import StrEnum
from typing import Annotated, NamedTuple
from urllib.parse import quote

import msgspec
import typer

from agent_contracts.api.settings import AdaptationShown, AdaptedModel, ResetAdaptations
from agent_contracts.api.wire import Page
from agent_contracts.errors import Rejected
from foldline.cli.client import gateway
from foldline.cli.listing import listed
from foldline.cli.output import JsonOption, done, failures_shown, print_json

_PATH = "/model-adaptations"
_NONE = "Nothing was learned: requests to all models have the usual form."


class AdaptationAction(StrEnum):
    """The action to take."""

    LIST = "list"
    RESET = "reset"


class _AdaptationLine(NamedTuple):
    model: AdaptedModel
    one: AdaptationShown


def adaptations(
    action: Annotated[AdaptationAction, typer.Argument(help="The action to take.")] = AdaptationAction.LIST,
    name: Annotated[str | None, typer.Argument(help="The model's id, as listed.")] = None,
    label: Annotated[str, typer.Option(help="Reset only this change, as listed.")] = "",
    everything: Annotated[bool, typer.Option("--all", help="Reset the changes of all models.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List or reset the changes to model requests that Foldline has learned.

    If a model's server rejects the form of a request, Foldline tries another form and remembers what worked,
    for all agents. After a reset, the next request has the usual form again.
    """
    with failures_shown(), gateway() as door:
        if action is AdaptationAction.LIST:
            found = door.read(_PATH, Page[AdaptedModel])
            lines = [_AdaptationLine(model, one) for model in found.items for one in model.adaptations]
            if as_json:
                print_json(found)
            else:
                columns = ("id", "model", "change", "what it means", "the server said")
                listed(lines, columns, _row, none=_NONE, as_json=False)
            return
        if everything == (name is not None):
            raise Rejected(
                "Name one model or all: foldline adaptations reset ID, or foldline adaptations reset --all",
                kind="invalid_request",
            )
        if everything and label:
            raise Rejected("--label needs the id of one model", kind="invalid_request")
        path = _PATH if name is None else f"{_PATH}/{quote(name, safe='')}"
        told = door.delete(path + (f"?label={quote(label, safe='')}" if label else ""))
        count = msgspec.convert(told, ResetAdaptations).reset
        done(told, f"{count} {'change is' if count == 1 else 'changes are'} reset", as_json)


def _row(line: _AdaptationLine) -> tuple[str, ...]:
    model, one = line
    return model.name, f"{model.model} at {model.server}", one.label, one.meaning, one.said
