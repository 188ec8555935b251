"""What those who ask for a tool over core NATS are told where it gave nothing."""

import msgspec
import structlog

from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.tool_spec import Effect
from agent_platform.log.storable_text import storable
from agent_tools.running.failures import error_from, is_bug, outcome_unknown, timed_out
from agent_tools.running.running import Outcome, TimedOut, ToolRaised
from agent_tools.tool import Tool

log = structlog.get_logger()


def refused(error: ToolError) -> ToolAnswer:
    """An error, as it can be sent."""
    message, path, details = storable(error.message), storable(error.path), storable(error.details)
    return ToolAnswer(error=msgspec.structs.replace(error, message=message, path=path, details=details))


def unsuccessful(outcome: Outcome, tool: Tool) -> ToolAnswer:
    """How a tool that ran ended without a result."""
    match outcome:
        case TimedOut():
            return refused(timed_out(tool.spec.timeout_s, tool.spec.effect))
        case ToolRaised(error):
            if is_bug(error):
                log.error("tool.bug", tool=tool.spec.name, exc_info=error)
            return refused(error_from(error, tool.spec.effect))
        case _ if tool.spec.effect is Effect.EXTERNAL:
            return refused(outcome_unknown("it was stopped while it ran"))
        case _:
            return refused(ToolError(ErrorKind.CANCELLED, "the call was cancelled"))
