"""Core tools, as tools of packs use them within their own calls: one ability has one implementation."""

from typing import Any

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_tools.ports.running import OtherTools
from agent_tools.tool import Pause
from agent_tools.validation import InvalidArguments, parse_arguments


async def core_result(tools: OtherTools, name: str, arguments: dict[str, Json]) -> Any:
    """What the core tool gives for these arguments, as JSON. What it raises is passed on; `Rejected` for
    arguments that it doesn't take, and (`not_available`) where this runner doesn't have it."""
    tool = tools.find(name)
    if tool is None:
        raise Rejected(f"this runner has no tool {name!r}", kind=ErrorKind.NOT_AVAILABLE)
    try:
        args = parse_arguments(tool, arguments)
    except InvalidArguments as invalid:
        error = invalid.error
        raise Rejected(error.message, kind=error.kind, path=error.path) from invalid
    result = await tools.run(tool, args)
    if isinstance(result, Pause):
        raise Rejected(f"{name} waits for a person, which can't be done from here")
    return result.model_dump(mode="json", by_alias=True)
