"""Aliases as tools: each runs the core tool that it stands for, within its own call."""

import re
from collections.abc import Callable
from typing import Any

import msgspec
from pydantic import BaseModel, model_serializer

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import CoreTool
from agent_tools.broken_tools import BrokenTools
from agent_tools.mapping import filled, without_nulls
from agent_tools.pack import Alias, SubstituteTool
from agent_tools.ports.running import OtherTools
from agent_tools.schema import parameters_schema
from agent_tools.signatures import Asked
from agent_tools.tool import Arguments, Pause, Result, Tool
from agent_tools.validation import InvalidArguments, parse_arguments

_ASKS: Asked = (("tools", OtherTools),)
_IS_ARGUMENT = re.compile(r"\$[A-Za-z]\w*")
_POINTER = re.compile(r"(?<![^\s])/(\w+)")


class AliasResult(Result):
    """What the shape of an alias's result gives."""

    value: Any

    @model_serializer
    def _plain(self) -> Any:
        return self.value


def tool_of(alias: Alias, core: Callable[[str], Tool | None], module: str) -> Tool:
    """The alias as a tool; `core` finds the tools that it may stand for. Raises BrokenTools."""
    stands_for = core(alias.of)
    if stands_for is None:
        raise BrokenTools(f"the alias {alias.name!r} stands for {alias.of!r}, which is no core tool")
    _check_sends(alias.name, alias.sends, stands_for)
    if alias.or_else is not None:
        instead = core(alias.or_else.of)
        if instead is None:
            raise BrokenTools(f"the alias {alias.name!r} falls back on {alias.or_else.of!r}, no core tool")
        _check_sends(alias.name, alias.or_else.sends, instead)
    spec = msgspec.structs.replace(
        stands_for.spec,
        name=alias.name,
        family=alias.family,
        description=alias.description,
        parameters=parameters_schema(alias.arguments),
        always_sent=alias.always_sent,
        for_workers=alias.for_workers,
        alias_of=CoreTool(stands_for.spec.name, stands_for.spec.family),
    )

    async def run(args: Arguments, tools: OtherTools) -> Result | Pause:
        given: dict[str, Json] = args.model_dump(mode="json", by_alias=True)
        try:
            found = await _run(tools, alias, SubstituteTool(alias.of, alias.sends), given)
        except Rejected as refused:
            if alias.or_else is None or refused.kind != ErrorKind.CONFLICT:
                raise
            found = await _run(tools, alias, alias.or_else, given)
        if isinstance(found, Pause):
            return found
        return AliasResult(value=filled(alias.gives, {**given, "result": _plain(found), "given": given}))

    return Tool(spec, alias.arguments, run, _ASKS, module)


async def _run(
    tools: OtherTools, alias: Alias, done: SubstituteTool, given: dict[str, Json]
) -> Result | Pause:
    tool = tools.find(done.of)
    if tool is None:
        raise Rejected(f"this runner has no tool {done.of!r}", kind=ErrorKind.NOT_AVAILABLE)
    try:
        args = parse_arguments(tool, without_nulls(filled(done.sends, given)))
    except InvalidArguments as invalid:
        error = invalid.error
        message = _pointers(f"{alias.name}{error.message.removeprefix(done.of)}", done.sends)
        path = error.path and _pointers(error.path, done.sends)
        raise Rejected(message, kind=error.kind, path=path) from invalid
    try:
        return await tools.run(tool, args)
    except Rejected as refused:
        refused.path = refused.path and _pointers(refused.path, done.sends)
        raise


def _pointers(text: str, sends: dict[str, Json]) -> str:
    """The text with pointers to arguments of the core tool as pointers to those that the caller gave."""
    own = {name: _argument(shape) for name, shape in sends.items()}
    return _POINTER.sub(lambda found: f"/{own.get(found[1]) or found[1]}", text)


def _argument(shape: Json) -> str | None:
    """The argument of the alias that this is made of, where it is one."""
    if isinstance(shape, dict):
        made_of = {_argument(part) for part in shape.values()}
        return made_of.pop() if len(made_of) == 1 else None
    return shape[1:] if isinstance(shape, str) and _IS_ARGUMENT.fullmatch(shape) else None


def _plain(result: BaseModel) -> Json:
    plain: Json = result.model_dump(mode="json", by_alias=True)
    return plain


def _check_sends(name: str, sends: dict[str, Json], core: Tool) -> None:
    known = core.spec.parameters.get("properties")
    unknown = sends.keys() - (known.keys() if isinstance(known, dict) else ())
    if unknown:
        raise BrokenTools(f"the alias {name!r} sends {min(unknown)!r}, which {core.spec.name} doesn't take")
