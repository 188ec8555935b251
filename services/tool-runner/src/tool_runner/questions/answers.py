"""What those who ask runners over core NATS are told."""

import msgspec

from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, Failure, ToolError
from agent_contracts.ids import AgentId
from agent_contracts.tool_spec import Effect
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.storable_text import storable
from agent_tools.running.answers import refused, unsuccessful
from agent_tools.running.failures import error_from
from agent_tools.running.results import LARGEST_RESULT
from agent_tools.running.running import Outcome, ToolReturned
from agent_tools.tool import Result, Tool

FAILED = msgspec.json.encode(
    ToolAnswer(error=ToolError(ErrorKind.INTERNAL, "the tool runner failed; its log says why"))
)
"""The answer where a runner fails through a fault of its own."""
TRY_AGAIN = msgspec.json.encode(
    ToolAnswer(error=ToolError(ErrorKind.INTERNAL, "the tool runner was stopped: try again", retryable=True))
)
"""The answer of a question, which stores nothing, that is in hand when its runner stops."""


async def answer_of(outcome: Outcome, tool: Tool, blobs: Blobs, owner: AgentId) -> ToolAnswer:
    """How a tool that ran ended."""
    match outcome:
        case ToolReturned(Result() as value):
            return await _returned(value, blobs, tool.spec.effect, owner)
        case _:
            return unsuccessful(outcome, tool)


async def _returned(value: Result, blobs: Blobs, effect: Effect, owner: AgentId) -> ToolAnswer:
    result = storable(value.model_dump(mode="json"))
    whole = msgspec.json.encode(result)
    if len(whole) <= LARGEST_RESULT:
        return ToolAnswer(result)
    try:
        return ToolAnswer(blob=await blobs.put(whole, owner=owner))
    except Failure as failure:
        return refused(error_from(failure, effect))
