"""What those who ask runners over core NATS are told."""

import msgspec
import structlog

from agent_contracts.errors import ErrorKind, Failure, ToolError
from agent_contracts.ids import AgentId
from agent_contracts.tool_spec import Effect
from agent_contracts.user_questions import ToolAnswer
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.storable_text import storable
from agent_tools.running.failures import error_from, is_bug, timed_out
from agent_tools.running.results import LARGEST_RESULT
from agent_tools.running.running import Outcome, Raised, Returned, TimedOut
from agent_tools.tool import Result, Tool

FAILED = msgspec.json.encode(
    ToolAnswer(error=ToolError(ErrorKind.INTERNAL, "the tool runner failed; its log says why"))
)
"""The answer where a runner fails through a fault of its own."""
TRY_AGAIN = msgspec.json.encode(
    ToolAnswer(error=ToolError(ErrorKind.INTERNAL, "the tool runner was stopped: try again", retryable=True))
)
"""The answer of a question, which stores nothing, that is in hand when its runner stops."""

log = structlog.get_logger()


async def answer_of(outcome: Outcome, tool: Tool, blobs: Blobs, owner: AgentId) -> ToolAnswer:
    """How a tool that ran ended."""
    effect = tool.spec.effect
    match outcome:
        case Returned(Result() as value):
            return await _returned(value, blobs, effect, owner)
        case TimedOut():
            return refused(timed_out(tool.spec.timeout_s, effect))
        case Raised(error):
            if is_bug(error):
                log.error("tool.bug", tool=tool.spec.name, exc_info=error)
            return refused(error_from(error, effect))
        case _:
            return refused(ToolError(ErrorKind.CANCELLED, "the call was cancelled"))


def refused(error: ToolError) -> ToolAnswer:
    """An error, as it can be sent."""
    message, path, details = storable(error.message), storable(error.path), storable(error.details)
    return ToolAnswer(error=msgspec.structs.replace(error, message=message, path=path, details=details))


async def _returned(value: Result, blobs: Blobs, effect: Effect, owner: AgentId) -> ToolAnswer:
    result = storable(value.model_dump(mode="json"))
    whole = msgspec.json.encode(result)
    if len(whole) <= LARGEST_RESULT:
        return ToolAnswer(result)
    try:
        return ToolAnswer(blob=await blobs.put(whole, owner=owner))
    except Failure as failure:
        return refused(error_from(failure, effect))
