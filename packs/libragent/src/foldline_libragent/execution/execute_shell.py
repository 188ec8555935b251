"""`execute_shell`: run a command in the workspace."""

from typing import Annotated, Literal

from pydantic import Field

from agent_contracts.errors import Rejected
from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_tools.commands import LONGEST_S, Command
from agent_tools.ports.outside import Commands
from agent_tools.tool import EXTERNAL, Arguments, tool
from foldline_libragent.execution.shapes import Ran, ran
from foldline_libragent.files.paths import folder_path


class ExecuteShell(Arguments):
    """The command."""

    command: Annotated[str, Field(min_length=1, max_length=32_000, description="Of /bin/sh.")]
    timeout: Annotated[int, Field(ge=1, le=int(LONGEST_S), description="Seconds.")] = 30
    working_dir: Annotated[str | None, Field(max_length=1_000, description="In the workspace.")] = None
    run_mode: Annotated[
        Literal["sync", "async"], Field(description="async: it goes on; poll it by command_output.")
    ] = "sync"


@tool(
    "execute_shell",
    family="execution",
    effect=EXTERNAL,
    runs_on=RunsOn.WORKSPACE,
    timeout_s=LONGEST_S + 60,
    alias_of=CoreTool("run_command", "workspace"),
)
async def execute_shell(args: ExecuteShell, commands: Commands) -> Ran:
    """Run a shell command in the folder of the workspace, and get its output and exit code. One that runs
    async is looked at by command_output and ended by stop_command, with its command_id."""
    command = Command(
        language="shell",
        text=args.command,
        folder=folder_path(args.working_dir, "/working_dir"),
        timeout_s=args.timeout,
        background=args.run_mode == "async",
    )
    try:
        return ran(await commands.run(command))
    except Rejected as refused:
        if refused.path != "/folder":
            raise
        raise Rejected(refused.message, kind=refused.kind, path="/working_dir") from refused
