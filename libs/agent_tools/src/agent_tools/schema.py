"""The JSON Schema of a tool's arguments, in the form that models are given."""

from typing import Any

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
    schema.pop("description", None)  # the class's docstring is for us; the tool's own is what the model reads
    plain: dict[str, Any] = _plain(schema, definitions, ())
    return {"properties": {}, **plain}


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
