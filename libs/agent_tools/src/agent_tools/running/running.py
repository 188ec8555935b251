"""Running a tool's function: no longer than it may or is wanted, and whatever it raises is caught here."""

import asyncio
import time
from typing import Any

import msgspec

from agent_contracts.entities.bisections import PROBES_STAY_INSIDE, is_probe
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import Pause, Result, Tool
from agent_tools.toolbox import OpenToolbox

_OUTSIDE = (RunsOn.BROWSER, RunsOn.WORKSPACE)
_GRACE_S = 1.0
"""How long a cancelled tool may take to clean up before it is left to itself."""


class ToolReturned(msgspec.Struct, frozen=True):
    """The tool came to its end."""

    value: Result | Pause


class ToolRaised(msgspec.Struct, frozen=True):
    """The tool raised."""

    error: Exception


class TimedOut(msgspec.Struct, frozen=True):
    """The tool was stopped since it took too long."""


class ToolCancelled(msgspec.Struct, frozen=True):
    """The tool was stopped since nobody wants its result any more."""


Outcome = ToolReturned | ToolRaised | TimedOut | ToolCancelled


async def run_tool(tool: Tool, args: Any, tools: OpenToolbox) -> tuple[Outcome, int]:
    """How the call ended, and after how many milliseconds. Stops early when the call is cancelled."""
    if tool.spec.runs_on in _OUTSIDE and is_probe(tools.context.agent_id):
        return ToolRaised(Rejected(PROBES_STAY_INSIDE, kind=ErrorKind.BLOCKED)), 0
    began = time.perf_counter()
    work = asyncio.create_task(_guarded(tool, args, tools))
    unwanted = asyncio.create_task(tools.context.cancelled.wait())
    try:
        await asyncio.wait({work, unwanted}, timeout=tool.spec.timeout_s, return_when=asyncio.FIRST_COMPLETED)
        outcome = work.result() if work.done() else ToolCancelled() if unwanted.done() else TimedOut()
    finally:
        unwanted.cancel()
        if not work.done():
            work.cancel()
            await asyncio.wait({work}, timeout=_GRACE_S)
    return outcome, round((time.perf_counter() - began) * 1000)


async def _guarded(tool: Tool, args: Any, tools: OpenToolbox) -> Outcome:
    try:
        value = await tools.run(tool, args)
    except Exception as error:
        return ToolRaised(error)
    except SystemExit as error:
        return ToolRaised(RuntimeError(f"the tool tried to end its runner ({error})"))
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return ToolRaised(RuntimeError("the tool was cancelled from within"))
    if isinstance(value, Pause) and (tool.spec.pauses or value.resume is not None):
        return ToolReturned(value)
    if isinstance(value, Result):
        return ToolReturned(value)
    return ToolRaised(TypeError(f"tool {tool.spec.name} returned a {type(value).__name__}"))
