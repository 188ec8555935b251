"""Arguments against a tool's model, before anything runs."""

from collections.abc import Sequence
from typing import Any

import msgspec
from pydantic import ValidationError

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.json_value import Json
from agent_contracts.whole_numbers import whole
from agent_tools.json_schemas import JsonSchema
from agent_tools.tool import Arguments, SchemaArguments, Tool

_SHOWN_PROBLEMS = 5
_NOT_WHOLE = frozenset({"int_type", "int_from_float", "literal_error"})
"""What pydantic calls a number that is none of its whole ones."""
_OF_OURS = "Value error, "
"""How pydantic begins the words of a validator of ours."""


class InvalidArguments(Exception):
    """The arguments don't fit; `error` is what the model is told."""

    def __init__(self, error: ToolError) -> None:
        super().__init__(error.message)
        self.error = error


def parse_arguments(tool: Tool, arguments: dict[str, Json]) -> Arguments | dict[str, Json]:
    """The arguments as the tool's model. Raises InvalidArguments, naming by JSON Pointer what is at fault.

    They are read as JSON, so that what the schema calls an array or a date may be one in Python too. A whole
    number may be written in any form that JSON has: 100, 100.0, 1e2.
    """
    if isinstance(tool.arguments, SchemaArguments):
        return _fitting(tool.spec.name, tool.arguments.schema, whole(arguments))
    try:
        return _read(tool.arguments, arguments)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
    except UnicodeEncodeError as error:
        message = f"{tool.spec.name}: the arguments hold text that is not valid Unicode (a lone surrogate)"
        raise InvalidArguments(ToolError(ErrorKind.INVALID_ARGUMENTS, message)) from error
    raise _invalid(
        tool.spec.name,
        [
            (
                pointer_to(arguments, problem["loc"], missing=problem["type"] == "missing"),
                problem["msg"].removeprefix(_OF_OURS),
            )
            for problem in problems
        ],
    )


def _read(model: type[Arguments], arguments: dict[str, Json]) -> Arguments:
    try:
        return model.model_validate_json(msgspec.json.encode(arguments))
    except ValidationError as error:
        types = {problem["type"] for problem in error.errors(include_url=False, include_context=False)}
        if types.isdisjoint(_NOT_WHOLE):
            raise
    # Only where a whole number was wanted: otherwise values such as 1.0 are passed on as they were written.
    return model.model_validate_json(msgspec.json.encode(whole(arguments)))


def _fitting(name: str, schema: dict[str, Json], arguments: dict[str, Json]) -> dict[str, Json]:
    problems = JsonSchema.of(schema, "/parameter_schema").problems(arguments, _SHOWN_PROBLEMS + 1)
    if problems:
        raise _invalid(name, problems)
    return arguments


def _invalid(name: str, located: list[tuple[str, str]]) -> InvalidArguments:
    unique = list(dict.fromkeys(located))
    words = "; ".join(f"{path or 'the arguments'}: {reason}" for path, reason in unique[:_SHOWN_PROBLEMS])
    if len(unique) > _SHOWN_PROBLEMS:
        words += f"; and {len(unique) - _SHOWN_PROBLEMS} more"
    message = f"{name}: {words}"
    return InvalidArguments(ToolError(ErrorKind.INVALID_ARGUMENTS, message, path=unique[0][0] or None))


def pointer_to(document: Json, location: Sequence[int | str], *, missing: bool = False) -> str:
    """A pydantic location as a JSON Pointer (RFC 6901) into the document.

    Steps that name no place in the document (the member of a union that was tried) are left out, but for
    the last step where a field is `missing`.
    """
    steps: list[str] = []
    here: Any = document
    for index, step in enumerate(location):
        if _has(here, step):
            here = here[step]
        elif not (missing and index == len(location) - 1):
            continue
        steps.append(str(step).replace("~", "~0").replace("/", "~1"))
    return "".join(f"/{step}" for step in steps)


def _has(value: Json, step: int | str) -> bool:
    if isinstance(value, list):
        return isinstance(step, int) and 0 <= step < len(value)
    return isinstance(value, dict) and step in value
