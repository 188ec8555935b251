"""What of the OpenAPI document is made from the contracts' structs."""

import json
import re
from collections.abc import Iterable
from typing import Any, get_args, get_origin

import msgspec

from agent_contracts.api.wire import Page
from agent_contracts.field_descriptions import describe_fields, with_parts
from agent_contracts.sessions.session_view import (
    FoldedCall,
    FoldedChild,
    FoldedMessage,
    ForkOrigin,
    SessionFailure,
    SessionView,
)

_REF = "#/components/schemas/{name}"
_WHOLE: tuple[type[msgspec.Struct], ...] = (
    SessionView,
    FoldedMessage,
    FoldedCall,
    FoldedChild,
    ForkOrigin,
    SessionFailure,
)
"""Answered with every member, those at their default too."""

_GENERIC = re.compile(r"\b([A-Z]\w*?)_([A-Z]\w*?)_(?=\")")
"""What msgspec calls a generic type with an argument."""


def schemas(structs: Iterable[type[msgspec.Struct]]) -> dict[str, Any]:
    """The schema of each type, by its name; those that they are made of among them."""
    _, made = msgspec.json.schema_components((*_WHOLE, *structs), ref_template=_REF)
    found: dict[str, Any] = json.loads(_GENERIC.sub(r"\2\1", json.dumps(made)))
    described = {schema_name(one): one for one in with_parts((*_WHOLE, *structs))}
    pages = [one for one in described.values() if issubclass(get_origin(one) or one, Page)]
    for shown in (*_WHOLE, *pages):
        schema = found[schema_name(shown)]
        schema["title"], schema["required"] = schema_name(shown), list(schema["properties"])
        for member in schema["properties"].values():
            member.pop("default", None)
    for name, schema in found.items():
        open_objects(schema)
        if name in described:
            _leave_out_nulls(schema)
            describe_fields(schema, described[name])
    return found


def schema_name(struct: type[msgspec.Struct]) -> str:
    """What the document calls a type: `Page[Agent]` is an `AgentPage`."""
    return "".join(one.__name__ for one in (*get_args(struct), get_origin(struct) or struct))


def _leave_out_nulls(schema: Any) -> None:
    """Leave out defaults that are null."""
    for member in schema.get("properties", {}).values():
        if member.get("default", ...) is None:
            del member["default"]


def open_objects(schema: Any) -> None:
    """Say of each object without named members that it may have any, and of each list without a type that it
    may hold anything: without that, some read *none*."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" not in schema:
            schema.setdefault("additionalProperties", True)
        if schema.get("type") == "array" and "prefixItems" not in schema:
            schema.setdefault("items", {})
        for inner in schema.values():
            open_objects(inner)
    elif isinstance(schema, list):
        for inner in schema:
            open_objects(inner)


def described_by(name: str, description: str) -> dict[str, Any]:
    """The description of an answer of this type."""
    schema = {"$ref": _REF.format(name=name)}
    return {"description": description, "content": {"application/json": {"schema": schema}}}
