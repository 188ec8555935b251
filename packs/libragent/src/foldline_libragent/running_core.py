"""Running a core tool within a call of this pack."""

from typing import Any

from agent_contracts.errors import ErrorKind, Permanent, Rejected
from agent_contracts.json_value import Json
from agent_tools.ports import OtherTools
from agent_tools.tool import Pause
from agent_tools.validation import InvalidArguments, parse_arguments


async def ran(tools: OtherTools, name: str, arguments: dict[str, Json], **called: str) -> dict[str, Any]:
    """The result of a core tool, as JSON; members of the arguments that are null are left out.

    A refusal names the arguments as they are `called` here (core's name = ours).
    """
    tool = tools.find(name)
    if tool is None:
        raise Rejected(f"this runner has no tool {name}", kind=ErrorKind.NOT_AVAILABLE)
    given = {key: value for key, value in arguments.items() if value is not None}
    try:
        args = parse_arguments(tool, given)
    except InvalidArguments as invalid:
        error = invalid.error
        path = _called(error.path, called)
        raise Rejected(error.message, kind=error.kind, path=path) from invalid
    try:
        result = await tools.run(tool, args)
    except Rejected as refused:
        refused.path = _called(refused.path, called)
        raise
    if isinstance(result, Pause):
        raise Permanent(f"{name} pauses, which no tool of this pack does")
    return result.model_dump(mode="json", by_alias=True)


def _called(path: str | None, called: dict[str, str]) -> str | None:
    first, slash, rest = (path or "").removeprefix("/").partition("/")
    return f"/{called[first]}{slash}{rest}" if first in called else path
