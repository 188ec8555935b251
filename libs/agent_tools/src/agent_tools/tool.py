"""The shape of a tool: an async function, its argument and result models, its ports, and its traits."""

import inspect
import re
from collections.abc import Awaitable, Callable
from datetime import datetime
from types import UnionType
from typing import Concatenate, Final, ParamSpec, TypeVar, Union, get_args, get_origin

import msgspec
from pydantic import BaseModel, ConfigDict

from agent_contracts.json_value import Json
from agent_contracts.outside import SourceKind
from agent_contracts.pictures import Picture
from agent_contracts.session_events.results import Resume
from agent_contracts.tool_spec import (
    AvailableTo,
    CoreTool,
    Effect,
    FixedHost,
    LastingEffect,
    RunsOn,
    StandsIn,
    ToolSpec,
)
from agent_tools.schema import parameters_schema
from agent_tools.signatures import Asked, Signature, ports_of, signature_of

PURE: Final = Effect.PURE
RECORDED: Final = Effect.RECORDED
EXTERNAL: Final = Effect.EXTERNAL
EXTERNAL_IDEMPOTENT: Final = Effect.EXTERNAL_IDEMPOTENT

NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]{0,63}")
DEFAULT_TIMEOUT_S = 30.0


class Arguments(BaseModel):
    """What a tool is called with. Strict: no coercion, no unknown fields. A string below a field describes
    it, as `Field(description=…)` does."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Result(BaseModel):
    """What a tool returns; the model reads it as JSON."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def shown_pictures(self) -> tuple[Picture, ...]:
        """What a model that sees is shown beside it."""
        return ()


class Pause(msgspec.Struct, frozen=True):
    """Returned by a pausing tool instead of a result: what to put before the user, and until when (UTC).

    `show` has a `kind`, by which clients choose how to draw it. Without `expires_at` the call waits for ever.
    With `resume` any tool may pause: it is run again, with the answer or at a time, and finds how it stood in
    its context.
    """

    show: dict[str, Json]
    expires_at: datetime | None = None
    resume: Resume | None = None


class SchemaArguments(msgspec.Struct, frozen=True):
    """The arguments of a tool that isn't Python's: any object that fits the JSON Schema."""

    schema: dict[str, Json]


A = TypeVar("A", bound=Arguments)
R = TypeVar("R", bound=Result | Pause)
P = ParamSpec("P")


class Tool(msgspec.Struct, frozen=True):
    """One tool: what is published of it, and the function behind it.

    `run` takes the arguments, and by name the ports that it `asks` for. `module` is where it was declared.
    """

    spec: ToolSpec
    arguments: type[Arguments] | SchemaArguments
    run: Callable[..., Awaitable[Result | Pause]]
    asks: Asked
    module: str


def tool(  # noqa: PLR0913 — a declaration: each part is named
    name: str,
    *,
    family: str,
    effect: Effect,
    pauses: bool = False,
    runs_on: RunsOn = RunsOn.TOOLS,
    available_to: AvailableTo = AvailableTo.ALL,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    always_sent: bool = False,
    source: SourceKind | None = None,
    for_workers: bool = False,
    needs: tuple[str, ...] = (),
    alias_of: CoreTool | None = None,
    stands_in: StandsIn | None = None,
    lasting: LastingEffect = LastingEffect.NO,
    fixed_host: FixedHost | None = None,
) -> Callable[[Callable[Concatenate[A, P], Awaitable[R]]], Tool]:
    """Declare an async function `(args, port, …) -> result` as the tool `name`.

    Its docstring is the description that the model reads. Each parameter after the arguments asks for a port
    by its type; only those are built for a call. `timeout_s` is in seconds of running time. An `always_sent`
    tool's definition costs its tokens in each request; models find the others when they need them. `source`
    is what kind of material from outside all of its results hold: its ports say from where, if they can. Of
    what some of its results hold, the ports tell alone. `for_workers`, `needs`, `stands_in`, `lasting`,
    `fixed_host`: see `ToolSpec`. What policies say of the core tool `alias_of` holds for it, too. Raises
    TypeError where the function or its models don't have the shape of a tool.
    """
    if not NAME.fullmatch(name):
        raise TypeError(f"{name!r} can't be a tool's name: it must match {NAME.pattern}")

    def declare(function: Callable[Concatenate[A, P], Awaitable[R]]) -> Tool:
        if not inspect.iscoroutinefunction(function):
            raise TypeError(f"tool {name} must be an async function")
        signature = signature_of(function)
        arguments = _arguments_of(name, signature)
        results = _results_of(name, signature)
        if Pause not in results if pauses else results == (Pause,):
            raise TypeError(f"tool {name}: a tool pauses where it returns Pause alone, and never without one")
        description = inspect.getdoc(function)
        if not description:
            raise TypeError(f"tool {name} has no docstring: the model would not know what it is for")
        spec = ToolSpec(
            name=name,
            description=description,
            parameters=parameters_schema(arguments),
            family=family,
            effect=effect,
            runs_on=runs_on,
            pauses=pauses,
            available_to=available_to,
            timeout_s=timeout_s,
            always_sent=always_sent,
            source=source,
            for_workers=for_workers,
            needs=needs,
            alias_of=alias_of,
            stands_in=stands_in,
            lasting=lasting,
            fixed_host=fixed_host,
        )
        asks = ports_of(function, signature.parameters[1:])
        return Tool(spec, arguments, function, asks, function.__module__)

    return declare


def _arguments_of(name: str, signature: Signature) -> type[Arguments]:
    match signature.parameters:
        case ((_, type() as arguments), *_) if issubclass(arguments, Arguments):
            return arguments
    raise TypeError(f"tool {name} must take its arguments first: a model that is a subclass of Arguments")


def _results_of(name: str, signature: Signature) -> tuple[type, ...]:
    returned = signature.returns
    results = get_args(returned) if get_origin(returned) in (Union, UnionType) else (returned,)
    for result in results:
        if result is not Pause and not (isinstance(result, type) and issubclass(result, Result)):
            raise TypeError(f"tool {name} must return a Result (or Pause), not {result!r}")
    return results
