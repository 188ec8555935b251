"""What is checked of a definition before it is stored, so that an agent can't break itself."""

from collections.abc import Iterator
from typing import Any

import msgspec

from agent_contracts.entities.definitions import LARGEST_SCHEMA, ToolDefinition
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.kinds.kind import ThingKind
from agent_contracts.kinds.tool import TOOL
from agent_contracts.written_out import DEFINITIONS, SchemaUnwritable, written_out
from agent_tools.json_schemas import JsonSchema
from agent_tools.provider_schemas import check_takes
from tool_runner.code.check import CodeCheck, require_parses
from tool_runner.definitions.built_in import BuiltIn

_UNSUPPORTED = {"$ref": str, "$dynamicRef": str, "$recursiveRef": str, "patternProperties": dict}


async def check_new_name(built_in: BuiltIn, kind: ThingKind[ToolDefinition], name: str) -> None:
    """`Rejected` for the name of a built-in tool."""
    if name in await built_in.names():
        raise Rejected(f"{name!r} is a built-in tool: choose another name for the {kind.noun}", path="/name")


async def check_code_and_schema(
    kind: ThingKind[ToolDefinition],
    check: CodeCheck,
    code: str | None,
    parameter_schema: dict[str, Json] | None,
) -> None:
    """`Rejected` for a schema or code that can't be used, saying where it is wrong; None isn't checked.

    Tools are sent to model providers, which take less than JSON Schema is; functions are called by pages."""
    if parameter_schema is not None:
        path = "/parameter_schema"
        if kind is TOOL:
            check_is_schema(parameter_schema, path)
            check_takes(_sent(parameter_schema, path), path)
        else:
            check_schema(parameter_schema, path, of_object=True)
    if code is not None:
        await require_parses(check, code, "body")


def _sent(schema: dict[str, Json], path: str) -> dict[str, Json]:
    """As models are sent it: what it refers to of its own definitions stands in its place."""
    if not any(name in schema for name in DEFINITIONS):
        return schema
    try:
        written = written_out(schema)
    except SchemaUnwritable as problem:
        raise Rejected(f"nothing was stored: the schema {problem}", path=path) from problem
    check_is_schema(written, path)
    return written


def check_schema(schema: dict[str, Json], path: str, *, of_object: bool = False) -> None:
    """`Rejected` for what is no JSON Schema 2020-12, is too large, or refers to other schemas.

    References are refused since models read written-out schemas better, and a chain of them can cost for
    ever."""
    check_is_schema(schema, path)
    if of_object and schema.get("type") != "object":
        raise Rejected('nothing was stored: the schema must say "type": "object"', path=f"{path}/type")
    for keyword in _unsupported(schema):
        raise Rejected(f"nothing was stored: {keyword} isn't supported, write it out", path=path)


def check_is_schema(schema: dict[str, Json], path: str) -> None:
    """`Rejected` for what is no JSON Schema 2020-12, or is too large."""
    if len(msgspec.json.encode(schema)) > LARGEST_SCHEMA:
        raise Rejected(
            f"the schema has more than {LARGEST_SCHEMA} bytes", kind=ErrorKind.TOO_LARGE, path=path
        )
    JsonSchema.of(schema, path)


def _unsupported(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, _UNSUPPORTED.get(key, ())):
                yield key
            yield from _unsupported(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _unsupported(inner)
