"""Running a core tool within a call of this pack, whose arguments are called otherwise."""

from typing import Any

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_tools.core_tools import core_result
from agent_tools.ports.running import OtherTools


async def ran(tools: OtherTools, name: str, arguments: dict[str, Json], **called: str) -> dict[str, Any]:
    """The result of a core tool, as JSON; members of the arguments that are null are left out.

    A refusal names the arguments as they are `called` here (core's name = ours).
    """
    given = {key: value for key, value in arguments.items() if value is not None}
    try:
        result: dict[str, Any] = await core_result(tools, name, given)
    except Rejected as refused:
        first, slash, rest = (refused.path or "").removeprefix("/").partition("/")
        if first in called:
            refused.path = f"/{called[first]}{slash}{rest}"
        raise
    return result
