"""commands and programs"""

from typing import Annotated, Literal

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_tools.commands import LONGEST_S, Command, CommandRun
from agent_tools.context import CallContext
from agent_tools.ports.outside import Commands
from agent_tools.tool import EXTERNAL, PURE, Arguments, Result, tool
from foldline_libragent.files.paths import folder_path


class ShellResult(Result):
    """What it wrote, and how it ended. `exit_code` is null as long as it runs, and where a signal ended it.
    Of much output, files have all of it (`stdout_file`, `stderr_file`: ids). `changed` are the workspace's
    files that changed."""

    command_id: str
    status: str
    exit_code: int | None
    stdout: str
    stderr: str
    seconds: float
    stdout_file: str | None = None
    stderr_file: str | None = None
    changed: list[str]
    not_kept: list[str]
    weaker: str | None = None


def ran(run: CommandRun) -> ShellResult:
    """A command as a result. `Rejected(kind="timeout")` with what it wrote, for one that took too long."""
    if run.ending == "timed_out":
        written = f"{run.stdout}\n{run.stderr}".strip()
        raise Rejected(
            f"it was ended after {run.seconds:g} seconds. It had written: {written[-4_000:] or 'nothing'}",
            kind=ErrorKind.TIMEOUT,
        )
    return ShellResult(
        command_id=run.command_id,
        status=run.ending,
        exit_code=run.exit_code,
        stdout=run.stdout,
        stderr=run.stderr,
        seconds=run.seconds,
        stdout_file=run.stdout_file,
        stderr_file=run.stderr_file,
        changed=[f"{one.path} ({one.change})" for one in run.changed],
        not_kept=list(run.not_kept),
        weaker=run.weaker,
    )


class ExecuteWindowsCmd(Arguments):
    """The command."""

    command: Annotated[str, Field(min_length=1, max_length=32_000)]
    timeout: Annotated[int, Field(ge=1, le=600, description="Seconds.")] = 30
    working_dir: Annotated[str | None, Field(max_length=1_000)] = None
    run_mode: Literal["sync", "async"] = "sync"


class NoShellResult(Result):
    """Nothing is returned: no workspace host runs on Windows."""


@tool("execute_windows_cmd", family="execution", effect=PURE)
async def execute_windows_cmd(args: ExecuteWindowsCmd, call: CallContext) -> NoShellResult:
    """Run a command of Windows. Not available: commands run on Linux here, by execute_shell."""
    call.log.info("command.no_windows")
    raise Rejected(
        "commands run on Linux here, where there is no cmd.exe: nothing was done. Use execute_shell",
        kind=ErrorKind.NOT_AVAILABLE,
    )


class ExecutePython(Arguments):
    """The program."""

    code: Annotated[str, Field(min_length=1, max_length=256 * 1024)]
    timeout: Annotated[int, Field(ge=1, le=int(LONGEST_S), description="Seconds.")] = 30


@tool(
    "execute_python",
    family="execution",
    effect=EXTERNAL,
    runs_on=RunsOn.WORKSPACE,
    timeout_s=LONGEST_S + 60,
    alias_of=CoreTool("run_python", "workspace"),
)
async def execute_python(args: ExecutePython, commands: Commands) -> ShellResult:
    """Run a Python program in the folder of the workspace, and get what it printed."""
    return ran(await commands.run(Command(language="python", text=args.code, timeout_s=args.timeout)))


class LibragentExecuteShell(Arguments):
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
async def execute_shell(args: LibragentExecuteShell, commands: Commands) -> ShellResult:
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
