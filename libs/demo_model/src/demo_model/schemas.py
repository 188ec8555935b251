"""Schemas of tools that are refused, as OpenAI's chat completions do: one of them fails the request."""

from collections.abc import Iterator
from typing import Any

from demo_model import wire


def refused_schema(body: dict[str, Any]) -> dict[str, Any] | None:
    """The error body for the first tool whose parameters aren't taken; None if all are."""
    for index, tool in enumerate(body.get("tools") or ()):
        function = tool.get("function", {})
        for where, wrong in _wrong(function.get("parameters"), ()):
            context = f"In context={where!r}, " if where else ""
            message = f"Invalid schema for function '{function.get('name')}': {context}{wrong}."
            param = f"tools[{index}].function.parameters"
            return wire.error(message, "invalid_request_error", "invalid_function_parameters", param)
    return None


def _wrong(schema: Any, where: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if not isinstance(schema, dict):
        yield where, f"{schema!r} is not of type 'object', 'boolean'"
        return
    if not where and schema.get("type") != "object":
        yield where, f"schema must be a JSON Schema of 'type: \"object\"', got 'type: {schema.get('type')!r}'"
    if not where and not isinstance(schema.get("properties"), dict):
        yield where, "object schema missing properties"
    if not where and schema.keys() & {"oneOf", "anyOf", "allOf", "enum", "not"}:
        yield (
            where,
            "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top "
            "level",
        )
    if schema.get("type") == "array" and "items" not in schema:
        yield where, "array schema missing items"
    for name, inner in (schema.get("properties") or {}).items():
        yield from _wrong(inner, (*where, "properties", name))
    if "items" in schema:
        yield from _wrong(schema["items"], (*where, "items"))
