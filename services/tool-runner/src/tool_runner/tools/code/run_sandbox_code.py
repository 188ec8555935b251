"""`run_sandbox_code`: run JavaScript once."""

from typing import Annotated

from pydantic import Field

from agent_contracts.definitions import LARGEST_CODE
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
            description="JavaScript (ES2023) or TypeScript: the body of an async function. "
            "`return` a value, or call resolve(value).",
        ),
    ]


class Ran(Result):
    """What the code returned, as JSON, and what it wrote to the console."""

    result: Json
    logs: list[str]


@tool("run_sandbox_code", family="code", effect=EXTERNAL, timeout_s=_TIMEOUT_S)
async def run_sandbox_code(args: RunSandboxCode, runs: CodeRuns) -> Ran:
    """Run a piece of code and get what it returns: to compute, to try out an idea, to process data.

    It may await, and use fetch, state.get/set/delete/keys, db.sql(sql, params), llm.generate({prompt}),
    require("a library of yours"), parseCSV(text, {header: true}), console.log, URL, setTimeout. There are no
    files, no processes and no npm packages. It ends after 30 seconds. Code worth keeping belongs into a tool
    (create_tool) or a library (create_library).
    """
    outcome = await runs.run(args.code, {}, "code.js")
    if outcome.error is not None:
        raise failed(outcome.error, outcome.logs)
    return Ran(result=outcome.value, logs=lines_of(outcome.logs))
