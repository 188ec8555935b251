"""The routes of lists of what was done, each made of its declaration (`agent_contracts/lists/`)."""

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import msgspec
from fastapi import Query

from agent_contracts.api.wire import Page
from agent_contracts.form_inputs import Letters, inputs_of, metas_of, plain_type
from agent_contracts.lists.kind import AnyListKind
from agent_contracts.lists.registry import LISTS
from gateway.http.wire.parameters import (
    LIMIT,
    AgentFilter,
    Cursor,
    MinSequence,
    SessionFilter,
    Using,
)
from gateway.http.wire.resource import resource

router = resource("operators")

_IDS: Mapping[str, Any] = {"agent_id": AgentFilter, "session_id": SessionFilter}
_PAGING: Mapping[str, tuple[Any, Any]] = {
    "cursor": (Cursor, None),
    "limit": (Annotated[int, Query(ge=1, le=1000, description=LIMIT)], 100),
    "min_sequence": (MinSequence, None),
}
_LETTERS: Mapping[Letters, Callable[[str], str]] = {"small": str.lower, "capital": str.upper}


def _endpoint(kind: AnyListKind) -> Callable[..., Any]:
    lettered = {one.name: _LETTERS[one.letters] for one in inputs_of(kind.filter) if one.letters}

    async def listed(operations: Using, **given: Any) -> Any:
        cursor, limit, min_sequence = (given.pop(name) for name in _PAGING)
        wanted = {
            name: lettered[name](value) if value and name in lettered else value
            for name, value in given.items()
        }
        return await operations.reading.listed(kind, kind.filter(**wanted), cursor, limit, min_sequence)

    parameters = [_parameter("operations", Using)]
    parameters += [
        _parameter(one.name, _IDS[one.name]) if one.name in _IDS else _parameter(one.name, _query(one), None)
        for one in msgspec.structs.fields(kind.filter)
    ]
    parameters += [_parameter(name, of, default) for name, (of, default) in _PAGING.items()]
    listed.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        parameters,
        return_annotation=Page[kind.row],  # type: ignore[name-defined]
    )
    listed.__name__, listed.__doc__ = f"list_{kind.name}", kind.about
    return listed


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _query(member: msgspec.structs.FieldInfo) -> Any:
    """The parameter of a member of a filter, with its bounds."""
    metas = metas_of(member.type)
    bounds = {
        name: value
        for meta in metas
        for name in ("min_length", "max_length", "pattern", "ge", "le")
        if (value := getattr(meta, name)) is not None
    }
    said = next((meta.description for meta in metas if meta.description), None)
    return Annotated[plain_type(member.type) | None, Query(description=said, **bounds)]


for _kind in LISTS.values():
    router.get(f"/{_kind.name}", operation_id=_kind.operation)(_endpoint(_kind))
