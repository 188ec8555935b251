"""`selftest_external`: acts where it can be counted, without a key."""

import asyncio
import os
from typing import Annotated

from pydantic import Field

from agent_tools.context import CallContext
from agent_tools.tool import EXTERNAL, Arguments, Result, tool
from tool_runner.tools.selftest.acting import act


class Act(Arguments):
    """How to act."""

    note: Annotated[str, Field(max_length=200, pattern=r"^[^\r\n]*$", description="A last word.")] = ""
    before_ms: Annotated[int, Field(ge=0, description="Milliseconds to wait before it acts.")] = 0
    after_ms: Annotated[int, Field(ge=0, description="Milliseconds to wait after it acted.")] = 0


class Acted(Result):
    """Where it acted."""

    target: str


@tool("selftest_external", family="selftest", effect=EXTERNAL, timeout_s=20)
async def selftest_external(args: Act, call: CallContext) -> Acted:
    """Act once on the outside world: leave a line "session call attempt pid note" where tests count."""
    await asyncio.sleep(args.before_ms / 1000)
    target = await act(f"{call.session_id} {call.call_id} {call.attempt} {os.getpid()} {args.note}".rstrip())
    await asyncio.sleep(args.after_ms / 1000)
    return Acted(target=target)
