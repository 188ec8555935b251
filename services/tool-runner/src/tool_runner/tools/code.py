"""code that runs once"""

from typing import Annotated

from pydantic import Field

from agent_contracts.entities.definitions import LARGEST_CODE
from agent_contracts.json_value import Json
from agent_tools.tool import EXTERNAL, Arguments, Result, tool
from tool_runner.code.runs import CodeRuns, failed, lines_of

_TIMEOUT_S = 45.0
"""The sandbox ends code after 30 seconds; this is for what comes before and after."""


class RunSandboxCode(Arguments):
    """The code."""

    code: Annotated[
        str,
        Field(
            min_length=1,
            max_length=LARGEST_CODE,
            description="JavaScript or TypeScript: the body of an async function, which must `return`.",
        ),
    ]


class CodeResult(Result):
    """What the code returned, as JSON, and what it wrote to the console."""

    result: Json
    logs: list[str]


@tool("run_sandbox_code", family="code", effect=EXTERNAL, timeout_s=_TIMEOUT_S, always_sent=True)
async def run_sandbox_code(args: RunSandboxCode, runs: CodeRuns) -> CodeResult:
    """Run code once: to compute, to try something out.

    It reaches what a tool's code does, and parseCSV(text, {header: true}). At most 30 seconds.
    """
    outcome = await runs.run(args.code, {}, "code.js")
    if outcome.error is not None:
        raise failed(outcome.error, outcome.logs)
    return CodeResult(result=outcome.value, logs=lines_of(outcome.logs))
