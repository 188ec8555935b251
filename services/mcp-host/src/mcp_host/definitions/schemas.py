"""The schema of a foreign tool's arguments, as models may be sent it: what it refers to is put in its place,
what providers don't take is left out (the server checks its arguments itself), and it is bounded. Pure."""

from typing import Any

import msgspec

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_tools.json_schemas import Schema
from agent_tools.provider_schemas import NOT_AT_THE_TOP, PROPERTY_NAME, TAKEN, check_takes
from mcp_host.limits import SCHEMA_BYTES, SCHEMA_LEVELS

MOST_PARTS = 4_000
"""Schemas within the schema, after what it refers to was put in its place."""
_MANY = ("anyOf", "oneOf", "allOf")


class Flaw(Exception):
    """Why the schema can't be used, in words for a person."""


def usable(schema: dict[str, Any]) -> dict[str, Json]:
    """The schema as it can be sent. Raises Flaw."""
    if schema.get("type") != "object":
        raise Flaw('its arguments are not said to be an object ("type": "object")')
    found = _Writing(schema).written(schema, 0, ())
    for keyword in NOT_AT_THE_TOP:
        found.pop(keyword, None)
    size = len(msgspec.json.encode(found))
    if size > SCHEMA_BYTES:
        raise Flaw(f"the schema of its arguments has {size:,} bytes; {SCHEMA_BYTES:,} are the most")
    try:
        Schema.of(found, "")
        check_takes(found, "")
    except Rejected as refused:
        words = refused.message.removeprefix("nothing was stored: ")
        raise Flaw(f"the schema of its arguments can't be used: {words}") from refused
    return found


class _Writing:
    def __init__(self, whole: dict[str, Any]) -> None:
        self._whole = whole
        self._parts = 0

    def written(self, schema: Any, level: int, within: tuple[str, ...]) -> dict[str, Any]:
        self._parts += 1
        if self._parts > MOST_PARTS or level > SCHEMA_LEVELS:
            raise Flaw("the schema of its arguments is too large, once what it refers to is in its place")
        if isinstance(schema, bool):
            return {}
        if not isinstance(schema, dict):
            raise Flaw("the schema of its arguments is not a JSON Schema")
        reference = schema.get("$ref")
        if reference is not None:
            return self._referred(schema, reference, level, within)
        found = {name: value for name, value in schema.items() if name in TAKEN}
        if isinstance(schema.get("properties"), dict):
            found["properties"] = {
                str(name): self.written(inner, level + 1, within)
                for name, inner in schema["properties"].items()
            }
            unfit = next((name for name in found["properties"] if not PROPERTY_NAME.fullmatch(name)), None)
            if unfit is not None:
                raise Flaw(f"its argument {unfit[:80]!r} has a name that models can't be sent")
        if isinstance(found.get("required"), list):
            known = found.get("properties", {})
            found["required"] = [name for name in found["required"] if name in known]
        if "items" in found:
            found["items"] = self.written(found["items"], level + 1, within)
        elif "array" in _types(found):
            found["items"] = {}
        if isinstance(found.get("additionalProperties"), dict):
            found["additionalProperties"] = self.written(found["additionalProperties"], level + 1, within)
        for keyword in _MANY:
            if isinstance(found.get(keyword), list):
                found[keyword] = [self.written(inner, level + 1, within) for inner in found[keyword]]
        return found

    def _referred(
        self, schema: dict[str, Any], reference: Any, level: int, within: tuple[str, ...]
    ) -> dict[str, Any]:
        """What is referred to, with what stands beside the reference."""
        if not isinstance(reference, str) or not reference.startswith("#/"):
            raise Flaw(f"the schema of its arguments refers to {str(reference)[:80]!r}, outside itself")
        if reference in within:
            raise Flaw(f"the schema of its arguments refers to itself ({reference[:80]})")
        target: Any = self._whole
        for step in reference[2:].split("/"):
            step = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(target, dict) or step not in target:
                raise Flaw(f"the schema of its arguments refers to {reference[:80]!r}, which isn't there")
            target = target[step]
        beside = {name: value for name, value in schema.items() if name != "$ref"}
        joined = {**target, **beside} if isinstance(target, dict) else target
        return self.written(joined, level, (*within, reference))


def _types(schema: dict[str, Any]) -> list[Any]:
    said = schema.get("type", [])
    return said if isinstance(said, list) else [said]
