"""The commands that list what was done, each made of its declaration (`agent_contracts/lists/`)."""

import inspect
from collections.abc import Callable
from itertools import islice
from typing import Annotated, Any

import msgspec
import typer

from agent_contracts.form_inputs import inputs_of, plain_type
from agent_contracts.lists.kind import AnyListKind
from agent_contracts.lists.registry import LISTS
from foldline.cli.client import Gateway, gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id, session_id
from foldline.cli.output import JsonOption, failures_shown

_PAGE = 1_000
_IDS: dict[str, tuple[str, Callable[[Gateway, str], str]]] = {
    "agent_id": ("agent", agent_id),
    "session_id": ("session", session_id),
}
"""The option that names what a filter has by its id, and how it is found."""
_LIMIT = Annotated[int, typer.Option(min=1, max=100_000, help="Show at most N entries, newest first.")]


def __getattr__(name: str) -> Callable[..., None]:
    """`foldline commands` is `commands` of this module."""
    if name not in LISTS:
        raise AttributeError(name)
    return _command(LISTS[name])


def _command(kind: AnyListKind) -> Callable[..., None]:
    def command(limit: int, as_json: bool, **given: Any) -> None:
        with failures_shown(), gateway() as door:
            wanted = {member: _found(door, member, given) for member in kind.filter.__struct_fields__}
            every = door.every(f"/{kind.name}", limit=min(limit, _PAGE), **wanted)
            found = [msgspec.convert(one, kind.row) for one in islice(every, limit)]
            cells = kind.columns.values()
            listed(
                found,
                tuple(kind.columns),
                lambda one: tuple(cell(one) for cell in cells),
                none=kind.none,
                as_json=as_json,
            )

    members = {one.name: plain_type(one.type) for one in msgspec.structs.fields(kind.filter)}
    options = [
        _parameter(_option(one.name), Annotated[members[one.name] | None, typer.Option(help=one.help)], None)
        for one in inputs_of(kind.filter)
    ]
    options += [_parameter("limit", _LIMIT, 100), _parameter("as_json", JsonOption, False)]
    command.__signature__ = inspect.Signature(options, return_annotation=None)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in options}
    command.__doc__ = inspect.cleandoc(kind.help)
    return command


def _option(member: str) -> str:
    return _IDS[member][0] if member in _IDS else member


def _found(door: Gateway, member: str, given: dict[str, Any]) -> Any:
    value = given[_option(member)]
    return _IDS[member][1](door, value) if value is not None and member in _IDS else value


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
