"""`execute_windows_cmd`: there is no Windows here."""

from typing import Annotated, Literal

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_tools.context import CallContext
from agent_tools.tool import PURE, Arguments, Result, tool


class ExecuteWindowsCmd(Arguments):
    """The command."""

    command: Annotated[str, Field(min_length=1, max_length=32_000)]
    timeout: Annotated[int, Field(ge=1, le=600, description="Seconds.")] = 30
    working_dir: Annotated[str | None, Field(max_length=1_000)] = None
    run_mode: Literal["sync", "async"] = "sync"


class NeverRan(Result):
    """Nothing is returned: no workspace host runs on Windows."""


@tool("execute_windows_cmd", family="execution", effect=PURE)
async def execute_windows_cmd(args: ExecuteWindowsCmd, call: CallContext) -> NeverRan:
    """Run a command of Windows. Not available: commands run on Linux here, by execute_shell."""
    call.log.info("command.no_windows")
    raise Rejected(
        "commands run on Linux here, where there is no cmd.exe: nothing was done. Use execute_shell",
        kind=ErrorKind.NOT_AVAILABLE,
    )
