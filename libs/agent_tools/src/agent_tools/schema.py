"""The JSON Schema of a tool's arguments, in the form that models are given."""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Any, get_args

from pydantic import BaseModel

_SCHEMA_MAPS = ("properties", "patternProperties", "dependentSchemas")
_SCHEMA_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SAYS_NOTHING = ("title", "minLength", "maxLength", "discriminator")
"""Checked where a tool runs, which says so; in each request it would only cost tokens."""
_SCHEMAS = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")


def parameters_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The model's schema as one `type: object` without `$defs`, `$ref` or titles, which only cost tokens.

    Raises ValueError for a model that contains itself: such a schema can't be written out.
    """
    schema = model.model_json_schema(mode="validation")
    definitions = schema.pop("$defs", {})
    for shape in _shapes_in(model):
        plain = schema if shape is model else definitions.get(shape.__name__, {})
        for name, text in _texts_below_fields(shape).items():
            plain.get("properties", {}).get(name, {}).setdefault("description", text)
    schema.pop("description", None)  # the class's docstring is for us; the tool's own is what the model reads
    written: dict[str, Any] = _plain(schema, definitions, ())
    return {"properties": {}, **written}


def _shapes_in(
    model: type[BaseModel], known: tuple[type[BaseModel], ...] = ()
) -> tuple[type[BaseModel], ...]:
    """The model, and those that its fields hold."""
    if model in known:
        return known
    known = (*known, model)
    for field in model.model_fields.values():
        for part in _types_in(field.annotation):
            known = _shapes_in(part, known)
    return known


def _types_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _types_in(part)


def _texts_below_fields(model: type[BaseModel]) -> dict[str, str]:
    """The strings that stand below fields which nothing else describes. The source is read only for those."""
    without = {name for name, field in model.model_fields.items() if field.description is None}
    found: dict[str, str] = {}
    for shape in reversed(model.__mro__) if without else ():
        module = sys.modules.get(shape.__module__)
        body = _classes_of(module).get(shape.__qualname__, []) if module is not None else []
        for field, below in pairwise(body):
            match field, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    found[name] = inspect.cleandoc(text)
    return {name: text for name, text in found.items() if name in without}


@cache
def _classes_of(module: ModuleType) -> dict[str, list[ast.stmt]]:
    """The bodies of a module's classes, by their names; none of a module whose source isn't there."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError):
        return {}
    return {node.name: node.body for node in tree.body if isinstance(node, ast.ClassDef)}


def _plain(schema: Any, definitions: dict[str, Any], inside: tuple[str, ...]) -> Any:
    if not isinstance(schema, dict):
        return schema  # `true` and `false` are schemas as well
    reference = schema.get("$ref")
    if reference is not None:
        name = reference.rsplit("/", 1)[1]
        if name in inside:
            raise ValueError(
                f"the arguments contain {name} inside itself; a tool's schema can't be recursive"
            )
        siblings = {key: value for key, value in schema.items() if key != "$ref"}
        return _plain({**definitions[name], **siblings}, definitions, (*inside, name))
    plain: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _SAYS_NOTHING or (key == "additionalProperties" and isinstance(value, bool)):
            continue
        if key in _SCHEMA_MAPS:
            plain[key] = {name: _plain(one, definitions, inside) for name, one in value.items()}
        elif key in _SCHEMA_LISTS:
            plain[key] = [_plain(one, definitions, inside) for one in value]
        elif key in _SCHEMAS:
            plain[key] = _plain(value, definitions, inside)
        else:
            plain[key] = value
    return _optional(_described(plain))


def _optional(schema: dict[str, Any]) -> dict[str, Any]:
    """Of a value that is null where it isn't given, what it is otherwise: null needs no words."""
    alternatives = schema.get("anyOf", ())
    if "default" not in schema or schema["default"] is not None or {"type": "null"} not in alternatives:
        return schema
    given = [one for one in alternatives if one != {"type": "null"}]
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    return {**given[0], **rest} if len(given) == 1 else {"anyOf": given, **rest}


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    """Of a value that may be null, what it is otherwise is described by the type: say it of the field."""
    described = [one for one in schema.get("anyOf", ()) if isinstance(one, dict) and "description" in one]
    if len(described) != 1 or "description" in schema:
        return schema
    [one] = described
    rest = [
        {k: v for k, v in other.items() if k != "description"} if other is one else other
        for other in schema["anyOf"]
    ]
    return {**schema, "anyOf": rest, "description": one["description"]}
