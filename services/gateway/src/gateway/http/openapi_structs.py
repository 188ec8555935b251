"""What of the OpenAPI document is made from the contracts' own types, not from Pydantic's."""

from typing import Any

import msgspec

from agent_contracts.sessions.session_view import (
    FailedTurn,
    FoldedCall,
    FoldedChild,
    FoldedMessage,
    ForkOrigin,
    SessionFailure,
    SessionView,
    TokensUsed,
)
from agent_contracts.wakes import CloudEventWake

_REF = "#/components/schemas/{name}"
_WHOLE: tuple[type[msgspec.Struct], ...] = (
    SessionView,
    FoldedMessage,
    FoldedCall,
    FoldedChild,
    ForkOrigin,
    SessionFailure,
    FailedTurn,
    TokensUsed,
)
"""Answered with every member, those at their default too."""


def schemas() -> dict[str, Any]:
    """The schema of each type, by its name; those that they are made of among them."""
    _, found = msgspec.json.schema_components((*_WHOLE, CloudEventWake), ref_template=_REF)
    for shown in _WHOLE:
        schema = found[shown.__name__]
        schema["required"] = list(schema["properties"])
        for member in schema["properties"].values():
            member.pop("default", None)
    for schema in found.values():
        _open_objects(schema)
    return found


def _open_objects(schema: Any) -> None:
    """Say of each object without named members that it may have any: without that, some read *none*."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" not in schema:
            schema.setdefault("additionalProperties", True)
        for inner in schema.values():
            _open_objects(inner)
    elif isinstance(schema, list):
        for inner in schema:
            _open_objects(inner)


def described_by(name: str, description: str) -> dict[str, Any]:
    """The description of an answer of this type."""
    schema = {"$ref": _REF.format(name=name)}
    return {"description": description, "content": {"application/json": {"schema": schema}}}
