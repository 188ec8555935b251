"""For tests of packs: a tool as the system that it comes from has it, row by row of a table.

A row has arguments, defaults, what a call gives, word for word, and what is said of a missing, an extra and a
wrong argument. All of it is tried by the runner that a test names.
"""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from agent_contracts.errors import ToolError
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallFailed, ToolCallPending
from agent_contracts.tool_spec import ToolSpec

Run = Callable[[str, dict[str, Any]], Awaitable[Any]]
"""Runs a call of a tool, as it is called in its pack; gives the event that ended it."""
Call = tuple[str, dict[str, Any]]

MISSING = "{tool}: /{name}: Field required"
EXTRA = "{tool}: /{name}: Extra inputs are not permitted"
"""What is said of arguments, wherever a runner reads them."""


class Like:
    """A text that an expression fits: for what differs from run to run, such as ids and times."""

    def __init__(self, expression: str) -> None:
        self._expression = expression

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and re.fullmatch(self._expression, other, re.DOTALL) is not None

    def __hash__(self) -> int:
        return hash(self._expression)

    def __repr__(self) -> str:
        return f"Like({self._expression!r})"


class Taken(NamedTuple):
    """An argument that an earlier call of the row gave: what the expression finds first in its result."""

    call: int
    expression: str


class Seed(NamedTuple):
    """A row: the arguments that are needed, each with a value that will do, and the others with their
    defaults (None: none is told).

    After the calls `before`, one with `needed` and `more` gives `gives`; None of a tool that always refuses.
    `wrong` is an argument, a value that is wrong, and the words that say so; None where that is among
    `refuses`, or nothing is taken. `refuses` are calls whose arguments fit, and which are refused with these
    words. `missing` and `extra` are what is said where another than a runner reads the arguments.
    """

    needed: dict[str, Any]
    defaults: dict[str, Any]
    wrong: tuple[str, Any, str] | None
    gives: Any
    before: Sequence[Call] = ()
    more: dict[str, Any] = {}  # noqa: RUF012 - a row is never changed
    refuses: Sequence[tuple[dict[str, Any], str | Like]] = ()
    missing: str = MISSING
    extra: str = EXTRA


def renamed(run: Run, told: str, real: str) -> Run:
    """The runner, to which what rows call `told` is `real`: as the address of a server of the test's."""

    async def renaming(tool: str, arguments: dict[str, Any]) -> Any:
        event = await run(tool, json.loads(json.dumps(arguments).replace(told, real)))
        match event:
            case ToolCallCompleted():
                field = "result"
            case ToolCallPending():
                field = "show"
            case _:
                field = "error"
        said = msgspec.json.encode(getattr(event, field)).decode().replace(real, told)
        shape = ToolError if field == "error" else Any
        return msgspec.structs.replace(event, **{field: msgspec.json.decode(said, type=shape)})

    return renaming


async def flaws(run: Run, spec: ToolSpec, seed: Seed) -> list[str]:
    """What the tool takes, gives or says otherwise than its row, in words."""
    found = _of_arguments(spec, seed)
    name = spec.name
    given = [_given(await run(*call)) for call in seed.before]
    good = {key: _taken(value, given) for key, value in seed.needed.items()}

    wrong = [seed.wrong] if seed.wrong is not None else []

    async def said(arguments: dict[str, Any]) -> Any:
        event = await run(name, arguments)
        return event.error.message if isinstance(event, ToolCallFailed) else f"it gave {_given(event)!r}"

    tried = [
        ({**good, "colour": "red"}, seed.extra.format(tool=name, name="colour")),
        *(
            (
                {key: one for key, one in good.items() if key != gone},
                seed.missing.format(tool=name, name=gone),
            )
            for gone in seed.needed
        ),
        *(({**good, key: value}, f"{name}: /{key}: {words}") for key, value, words in wrong),
        *(({**good, **arguments}, words) for arguments, words in seed.refuses),
    ]
    for arguments, words in tried:
        told = await said(arguments)
        if words != told:
            found.append(f"says of {arguments}: {told!r}, not {words!r}")
    gave = _given(await run(name, {**good, **seed.more})) if seed.gives is not None else None
    if seed.gives != gave:
        found.append(f"gives {gave!r}, not {seed.gives!r}")
    return found


def _of_arguments(spec: ToolSpec, seed: Seed) -> list[str]:
    schema: Any = spec.parameters
    found = []
    if set(schema.get("required", ())) != seed.needed.keys():
        found.append(f"needs {sorted(schema.get('required', ()))}")
    if schema.get("properties", {}).keys() != seed.needed.keys() | seed.defaults.keys():
        found.append(f"takes {sorted(schema.get('properties', {}))}")
    for name, default in seed.defaults.items():
        told = schema.get("properties", {}).get(name, {}).get("default")
        if told != default:
            found.append(f"{name} is {told!r} by default")
    if seed.wrong is None and not seed.refuses and schema.get("properties"):
        found.append("has no wrong argument in its row")
    return found


def _given(event: Any) -> Any:
    match event:
        case ToolCallCompleted(result=result):
            return result
        case ToolCallPending(show=show):
            return show
    return f"the error {event.error.message!r}"


def _taken(value: Any, given: Sequence[Any]) -> Any:
    if not isinstance(value, Taken):
        return value
    text = given[value.call] if isinstance(given[value.call], str) else json.dumps(given[value.call])
    found = re.search(value.expression, text)
    assert found is not None, f"{value.expression} is not in {text}"
    return found.group(0)
