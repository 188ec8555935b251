"""Examples of what a tool or function gives, run before a change of it is stored."""

import asyncio

import msgspec

from agent_contracts.entities.definitions import (
    LARGEST_EXAMPLES,
    MOST_EXAMPLES,
    Example,
    NamedDefinition,
    ToolDefinition,
)
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json, same_json
from agent_tools.validation import InvalidArguments, parse_arguments
from tool_runner.code.own_tools import runnable
from tool_runner.code.runs import CodeRuns
from tool_runner.sandbox.limits import RunLimits

LONGEST_S = 20.0
"""Seconds that all examples of one tool may take."""
_LIMITS = RunLimits(wall_s=5.0, cpu_s=2.0)
_PATH = "/examples"
_SHOWN = 1_000
"""Characters of JSON that a message shows of a value."""


class Examples:
    """Runs them in the sandbox, where they send nothing and write nothing."""

    def __init__(self, runs: CodeRuns) -> None:
        self._runs = runs

    async def require(self, made: NamedDefinition[ToolDefinition]) -> None:
        """`Rejected` with what was expected and what came, for the first example that doesn't hold."""
        examples = made.value.examples or ()
        try:
            async with asyncio.timeout(LONGEST_S):
                for place, example in enumerate(examples):
                    await self._require(made, place, example)
        except TimeoutError as error:
            message = f"nothing was stored: the examples took more than {LONGEST_S:g} seconds in all"
            raise Rejected(message, kind=ErrorKind.TIMEOUT, path=_PATH) from error

    async def _require(self, made: NamedDefinition[ToolDefinition], place: int, example: Example) -> None:
        path = f"{_PATH}/{place}"
        try:
            parse_arguments(runnable(made), example.arguments)
        except InvalidArguments as invalid:
            message = (
                f"nothing was stored: example {place + 1} doesn't fit the schema: {invalid.error.message}"
            )
            raise Rejected(message, path=f"{path}/arguments{invalid.error.path or ''}") from invalid
        got = await self._value(made.value.code, example.arguments, f"{made.name}.js", made, path, example)
        if example.holds is msgspec.UNSET:
            if not same_json(ordered(example.result), ordered(got)):
                raise broken(made, path, example, f"it gives {shown(got)}", got)
            return
        code = f"return ((args, result) => Boolean(\n{example.holds}\n))(args.args, args.result)"
        given: Json = {"args": example.arguments, "result": got}
        if await self._value(code, given, "holds.js", made, f"{path}/holds", example) is not True:
            raise broken(made, path, example, f"it gives {shown(got)}", got)

    async def _value(  # noqa: PLR0913 — what runs, and what is said of it
        self,
        code: str,
        args: Json,
        file: str,
        made: NamedDefinition[ToolDefinition],
        path: str,
        example: Example,
    ) -> Json:
        outcome = await self._runs.rehearse(code, args, file, _LIMITS)
        if outcome.error is None:
            return outcome.value
        where = f" ({file}, line {outcome.error.line})" if outcome.error.line else ""
        failed = f"{outcome.error.name}: {outcome.error.message[:_SHOWN]}{where}"
        raise broken(made, path, example, f"it fails: {failed}", None)


def examples_from(given: list[dict[str, Json]]) -> tuple[Example, ...]:
    """The examples of a definition. `Rejected` for what is none, for too many, and for too large ones."""
    if len(given) > MOST_EXAMPLES:
        raise Rejected(f"nothing was stored: more than {MOST_EXAMPLES} examples", path=_PATH)
    if len(msgspec.json.encode(given)) > LARGEST_EXAMPLES:
        message = f"nothing was stored: the examples have more than {LARGEST_EXAMPLES} bytes"
        raise Rejected(message, kind=ErrorKind.TOO_LARGE, path=_PATH)
    return tuple(_example(place, one) for place, one in enumerate(given))


def _example(place: int, given: dict[str, Json]) -> Example:
    path = f"{_PATH}/{place}"
    try:
        found = msgspec.convert(given, Example)
    except msgspec.ValidationError as error:
        raise Rejected(f"nothing was stored: example {place + 1}: {error}", path=path) from error
    if (found.result is msgspec.UNSET) == (found.holds is msgspec.UNSET):
        raise Rejected(f"nothing was stored: example {place + 1} needs either `result` or `holds`", path=path)
    return found


def ordered(value: Json) -> Json:
    """The same JSON with its members by name, and whole numbers as integers: code has one kind of number."""
    if isinstance(value, dict):
        return {name: ordered(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [ordered(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def broken(
    made: NamedDefinition[ToolDefinition], path: str, example: Example, got: str, value: Json
) -> Rejected:
    """The refusal of what breaks an example."""
    wanted = (
        f"should give {shown(example.result)}"
        if example.holds is msgspec.UNSET
        else f"should give a `result` of which {example.holds[:_SHOWN]} is true"
    )
    place = int(path.split("/")[2]) + 1
    message = (
        f"nothing was stored: example {place} is broken: {made.name}({shown(example.arguments)}) {wanted}, "
        f"and {got}"
    )
    details: dict[str, Json] = {"example": place, "got": shown(value)}
    details["expected"] = shown(example.result) if example.holds is msgspec.UNSET else example.holds
    return Rejected(message, path=path, details=details)


def shown(value: Json) -> str:
    """A value as JSON, cut."""
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
