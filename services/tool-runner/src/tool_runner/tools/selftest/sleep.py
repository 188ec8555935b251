"""`selftest_sleep`: takes its time and no processor."""

import asyncio
from typing import Annotated

from pydantic import Field

from agent_tools.context import CallContext
from agent_tools.tool import PURE, Arguments, Result, tool


class Sleep(Arguments):
    """How long."""

    ms: Annotated[int, Field(ge=0, description="Milliseconds to sleep.")]


class Slept(Result):
    """At which attempt it came to its end."""

    attempt: int


@tool("selftest_sleep", family="selftest", effect=PURE, timeout_s=10)
async def selftest_sleep(args: Sleep, call: CallContext) -> Slept:
    """Do nothing for a while; stopped after 10 seconds."""
    await asyncio.sleep(args.ms / 1000)
    return Slept(attempt=call.attempt)
