"""What of the OpenAPI document is made from the contracts' structs."""

import ast
import inspect
import json
import re
import textwrap
from collections.abc import Iterable
from typing import Any, get_args, get_origin

import msgspec

from agent_contracts.api.wire import Page
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
    described = {schema_name(one): one for one in _with_parts((*_WHOLE, *structs))}
    pages = [one for one in described.values() if issubclass(get_origin(one) or one, Page)]
    for shown in (*_WHOLE, *pages):
        schema = found[schema_name(shown)]
        schema["title"], schema["required"] = schema_name(shown), list(schema["properties"])
        for member in schema["properties"].values():
            member.pop("default", None)
    for name, schema in found.items():
        open_objects(schema)
        if name in described:
            _describe(schema, described[name])
    return found


def schema_name(struct: type[msgspec.Struct]) -> str:
    """What the document calls a type: `Page[Agent]` is an `AgentPage`."""
    return "".join(one.__name__ for one in (*get_args(struct), get_origin(struct) or struct))


def _with_parts(structs: Iterable[type[msgspec.Struct]]) -> Iterable[type[msgspec.Struct]]:
    """The structs, and all that they are made of."""
    waiting: list[Any] = [msgspec.inspect.type_info(one) for one in structs]
    seen: set[type] = set()
    while waiting:
        one = waiting.pop()
        if isinstance(one, msgspec.inspect.StructType):
            if one.cls in seen:
                continue
            seen.add(one.cls)
            yield one.cls
            waiting += [field.type for field in one.fields]
        elif isinstance(one, msgspec.inspect.UnionType):
            waiting += one.types
        else:
            inner = ("item_type", "item_types", "value_type", "type")
            for part in (getattr(one, name, None) for name in inner):
                waiting += part if isinstance(part, tuple) else [] if part is None else [part]


def _describe(schema: Any, struct: type[msgspec.Struct]) -> None:
    """Say of each member what stands right below it in the source; leave out defaults that are null."""
    for name, member in schema.get("properties", {}).items():
        if member.get("default", ...) is None:
            del member["default"]
        elif isinstance(member.get("default"), tuple):
            member["default"] = list(member["default"])
        if name in (told := _told(struct)):
            schema["properties"][name] = {**member, "description": told[name]}


def _told(struct: type[msgspec.Struct]) -> dict[str, str]:
    told: dict[str, str] = {}
    mro = (get_origin(struct) or struct).__mro__
    for cls in reversed(mro[: mro.index(msgspec.Struct)]):
        [node] = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
        assert isinstance(node, ast.ClassDef)
        for field, text in zip(node.body, node.body[1:], strict=False):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
            ):
                told[field.target.id] = inspect.cleandoc(str(text.value.value)).replace("\n", " ")
    return told


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
