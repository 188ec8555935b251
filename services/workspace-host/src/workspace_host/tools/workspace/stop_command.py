"""`stop_command`: end a command in the background."""

from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import RunsOn
from agent_tools.ports.outside import Commands
from agent_tools.tool import RECORDED, Arguments, tool
from workspace_host.arguments import TIMEOUT_S
from workspace_host.results import CommandResult


class StopCommand(Arguments):
    """Which command."""

    command_id: Annotated[str, Field(min_length=1, max_length=100)]


@tool("stop_command", family="workspace", effect=RECORDED, runs_on=RunsOn.WORKSPACE, timeout_s=TIMEOUT_S)
async def stop_command(args: StopCommand, commands: Commands) -> CommandResult:
    """End a command in the background, with all that it started; what it wrote until then."""
    return CommandResult.of(await commands.stop(args.command_id))
