"""commands and files of this workspace"""

from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_tools.commands import LONGEST_S, Command
from agent_tools.ports.outside import Commands
from agent_tools.tool import EXTERNAL, Arguments, Result, tool

SPARE_S = 15.0
"""Beside the command's own time, to bring the workspace up to date before and after."""


class WintermuteExecuteShell(Arguments):
    """What to run."""

    command: Annotated[str, Field(min_length=1, max_length=100_000, description="For bash.")]
    timeout: Annotated[int, Field(ge=1, le=int(LONGEST_S), description="Seconds.")] = 30


class ExecutionResult(Result):
    """What it wrote, and how it ended."""

    stdout: str
    stderr: str
    exit_code: int | None


@tool(
    "execute_shell",
    family="execution",
    effect=EXTERNAL,
    runs_on=RunsOn.WORKSPACE,
    timeout_s=LONGEST_S + SPARE_S,
    alias_of=CoreTool("run_command", "workspace"),
    always_sent=True,
    for_workers=True,
)
async def execute_shell(args: WintermuteExecuteShell, commands: Commands) -> ExecutionResult:
    """Run a bash command in this session's workspace.

    At the time-out it is ended with all that it started, and you are told what it wrote until then."""
    ran = await commands.run(Command(language="shell", text=args.command, timeout_s=float(args.timeout)))
    if ran.ending == "timed_out":
        wrote: dict[str, Json] = {"stdout": ran.stdout, "stderr": ran.stderr}
        message = (
            f"it was ended after {args.timeout} s, with all that it started. "
            f"It wrote, stdout: {ran.stdout or '(nothing)'} stderr: {ran.stderr or '(nothing)'}"
        )
        raise Rejected(message, kind=ErrorKind.TIMEOUT, details=wrote)
    if ran.ending != "exited":
        raise Rejected(
            f"it did not end by itself ({ran.ending}); it wrote, stdout: {ran.stdout or '(nothing)'} "
            f"stderr: {ran.stderr or '(nothing)'}"
        )
    return ExecutionResult(stdout=ran.stdout, stderr=ran.stderr, exit_code=ran.exit_code)
