"""`run_python`: a Python program in the workspace."""

from agent_contracts.tool_spec import RunsOn
from agent_tools.commands import Command
from agent_tools.ports.outside import Commands
from agent_tools.tool import EXTERNAL, tool
from workspace_host.arguments import TIMEOUT_S, RunArguments, Text
from workspace_host.results import CommandResult


class RunPython(RunArguments):
    """The program."""

    code: Text


@tool("run_python", family="workspace", effect=EXTERNAL, runs_on=RunsOn.WORKSPACE, timeout_s=TIMEOUT_S)
async def run_python(args: RunPython, commands: Commands) -> CommandResult:
    """Run a Python program, with this machine's Python, in a folder that holds this session's files. Print
    what you want to know. Files that it makes, changes or deletes there are the session's afterwards."""
    command = Command(
        language="python",
        text=args.code,
        folder=args.folder,
        input=args.input,
        timeout_s=args.timeout_s,
        background=args.background,
    )
    return CommandResult.of(await commands.run(command))
