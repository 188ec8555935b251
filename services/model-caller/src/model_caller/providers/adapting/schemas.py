"""Schemas of tools in the few words that every server reads, for those that refuse the others. Pure.

What is left out is still checked when the tool is called.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from session_domain.model_requests.encoded_array import Element, EncodedArray, encoded, part_of

_KEPT = ("description", "required", "minimum", "maximum", "minItems", "maxItems")
"""Of JSON Schema's words, those that Gemini's own form of a schema has as well, and that limit values."""
_DEEPEST = 12
"""Schemas within schemas. One that refers to itself ends here."""
_KNOWN_PARTS = 500


def plain_tools(tools: Sequence[Element]) -> Sequence[Element]:
    """The tools with such schemas."""
    return EncodedArray([_plain_part(part) for part in encoded(tools).parts])


@lru_cache(_KNOWN_PARTS)
def _plain_part(part: bytes) -> bytes:
    several: list[dict[str, Any]] = msgspec.json.decode(b"[" + part + b"]")
    return part_of([_plain_tool(one) for one in several])


def _plain_tool(tool: dict[str, Any]) -> dict[str, Any]:
    function = tool.get("function")
    if not isinstance(function, dict) or "parameters" not in function:
        return tool
    whole = function["parameters"]
    return tool | {"function": function | {"parameters": {"type": "object"} | plain_schema(whole, whole)}}


def plain_schema(schema: Any, whole: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """A schema in plain words; `whole` is the one that its references are about."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return {}
    reference = schema.get("$ref")
    if isinstance(reference, str):
        schema = _referred(reference, whole) | {k: v for k, v in schema.items() if k != "$ref"}
        return plain_schema(schema, whole, depth + 1)
    for one in schema.get("allOf") or ():
        if isinstance(one, dict):
            schema = {k: v for k, v in schema.items() if k != "allOf"} | one
    plain = {name: schema[name] for name in _KEPT if name in schema}
    kinds = schema.get("type")
    kind = next((one for one in kinds if one != "null"), None) if isinstance(kinds, list) else kinds
    if isinstance(kind, str):
        plain["type"] = kind
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(choices, list) and all(isinstance(one, str) for one in choices):
        plain |= {"type": "string", "enum": choices}
    properties = schema.get("properties")
    if isinstance(properties, dict):
        plain["properties"] = {name: plain_schema(one, whole, depth + 1) for name, one in properties.items()}
        if "required" in plain:
            plain["required"] = [name for name in plain["required"] if name in properties]
    if kind == "array":
        plain["items"] = plain_schema(schema.get("items"), whole, depth + 1) or {"type": "string"}
    either = [one for one in schema.get("anyOf") or schema.get("oneOf") or () if one != {"type": "null"}]
    if len(either) == 1:
        plain = plain_schema(either[0], whole, depth + 1) | plain
    elif either:
        plain["anyOf"] = [plain_schema(one, whole, depth + 1) for one in either]
    return plain


def _referred(reference: str, whole: Mapping[str, Any]) -> dict[str, Any]:
    found: Any = whole
    for name in reference.removeprefix("#").strip("/").split("/"):
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) and found is not whole else {}
