"""code, run once"""

import asyncio
from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import CoreTool
from agent_tools.ports.running import OtherTools
from agent_tools.tool import EXTERNAL, Arguments, Result, tool
from foldline_libragent.running_core import ran

_STARTS_S = 5.0
"""Seconds that a sandbox may take to be there, on a busy machine."""


class ExecuteTypescript(Arguments):
    """The program."""

    code: Annotated[
        str,
        Field(min_length=1, max_length=256 * 1024, description="TypeScript or JavaScript, without imports."),
    ]
    timeout: Annotated[int, Field(ge=1, le=30, description="Seconds.")] = 30


class ConsoleResult(Result):
    """What it wrote to the console, and what it returned, if anything."""

    stdout: str
    result: Json


@tool(
    "execute_typescript",
    family="code",
    effect=EXTERNAL,
    timeout_s=50,
    alias_of=CoreTool("run_sandbox_code", "code"),
)
async def execute_typescript(args: ExecuteTypescript, tools: OtherTools) -> ConsoleResult:
    """Run TypeScript once, in a sandbox without files or a shell: `console.log` and `return` give results."""
    try:
        async with asyncio.timeout(args.timeout + _STARTS_S):
            done = await ran(tools, "run_sandbox_code", {"code": args.code})
    except TimeoutError as late:
        message = f"it did not end within {args.timeout} seconds"
        raise Rejected(message, kind=ErrorKind.TIMEOUT) from late
    return ConsoleResult(stdout="\n".join(done["logs"]), result=done["result"])
