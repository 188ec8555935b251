"""The schema of a foreign tool's arguments, as it is kept: what it refers to is put in its place, what
providers don't take is left out (the server checks its arguments itself), and it is bounded. Names stay as
the server has them (`agent_contracts.argument_names`). Pure."""

from typing import Any

import msgspec

from agent_contracts.argument_names import for_models
from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_contracts.written_out import SchemaUnwritable, written_out
from agent_tools.json_schemas import JsonSchema
from agent_tools.provider_schemas import NOT_AT_THE_TOP, TAKEN, check_takes
from mcp_host.limits import SCHEMA_BYTES

_MANY = ("anyOf", "oneOf", "allOf")


class Flaw(Exception):
    """Why the schema can't be used, in words for a person."""


def usable(schema: dict[str, Any]) -> dict[str, Json]:
    """The schema as it can be sent. Raises Flaw."""
    if schema.get("type") != "object":
        raise Flaw('its arguments are not said to be an object ("type": "object")')
    try:
        found = _stripped(written_out(schema))
    except SchemaUnwritable as problem:
        raise Flaw(f"the schema of its arguments {problem}") from problem
    for keyword in NOT_AT_THE_TOP:
        found.pop(keyword, None)
    size = len(msgspec.json.encode(found))
    if size > SCHEMA_BYTES:
        raise Flaw(f"the schema of its arguments has {size:,} bytes; {SCHEMA_BYTES:,} are the most")
    try:
        JsonSchema.of(found, "")
        check_takes(for_models(found), "")
    except Rejected as refused:
        words = refused.message.removeprefix("nothing was stored: ")
        raise Flaw(f"the schema of its arguments can't be used: {words}") from refused
    return found


def _stripped(schema: Any) -> dict[str, Any]:
    """What providers take of a schema without references."""
    if isinstance(schema, bool):
        return {}
    if not isinstance(schema, dict):
        raise Flaw("the schema of its arguments is not a JSON Schema")
    found = {name: value for name, value in schema.items() if name in TAKEN}
    if isinstance(schema.get("properties"), dict):
        found["properties"] = {str(name): _stripped(inner) for name, inner in schema["properties"].items()}
    if isinstance(found.get("required"), list):
        known = found.get("properties", {})
        found["required"] = [name for name in found["required"] if isinstance(name, str) and name in known]
    if "items" in found:
        found["items"] = _stripped(found["items"])
    elif "array" in _types(found):
        found["items"] = {}
    if isinstance(found.get("additionalProperties"), dict):
        found["additionalProperties"] = _stripped(found["additionalProperties"])
    for keyword in _MANY:
        if isinstance(found.get(keyword), list):
            found[keyword] = [_stripped(inner) for inner in found[keyword]]
    return found


def _types(schema: dict[str, Any]) -> list[Any]:
    said = schema.get("type", [])
    return said if isinstance(said, list) else [said]
