"""`execute_python`: run a program in the workspace."""

from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_tools.commands import LONGEST_S, Command
from agent_tools.ports.outside import Commands
from agent_tools.tool import EXTERNAL, Arguments, tool
from foldline_libragent.execution.shapes import Ran, ran


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
async def execute_python(args: ExecutePython, commands: Commands) -> Ran:
    """Run a Python program in the folder of the workspace, and get what it printed."""
    return ran(await commands.run(Command(language="python", text=args.code, timeout_s=args.timeout)))
