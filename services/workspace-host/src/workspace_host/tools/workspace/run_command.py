"""`run_command`: a command line in the workspace."""

from agent_contracts.tool_spec import RunsOn
from agent_tools.commands import Command
from agent_tools.ports.outside import Commands
from agent_tools.tool import EXTERNAL, tool
from workspace_host.arguments import TIMEOUT_S, RunArguments, Text
from workspace_host.results import CommandResult


class RunCommand(RunArguments):
    """Which one."""

    command: Text


@tool("run_command", family="workspace", effect=EXTERNAL, runs_on=RunsOn.WORKSPACE, timeout_s=TIMEOUT_S)
async def run_command(args: RunCommand, commands: Commands) -> CommandResult:
    """Run a command line (bash) in a folder that holds this session's files. Files that it makes,
    changes or deletes there are the session's afterwards. It ends with all that it started, unless it runs
    in the background."""
    command = Command(
        language="shell",
        text=args.command,
        folder=args.folder,
        input=args.input,
        timeout_s=args.timeout_s,
        background=args.background,
    )
    return CommandResult.of(await commands.run(command))
