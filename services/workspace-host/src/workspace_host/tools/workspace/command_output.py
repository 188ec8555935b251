"""`command_output`: what a command in the background wrote, and what is written to it."""

from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import RunsOn
from agent_tools.ports.outside import Commands
from agent_tools.tool import RECORDED, Arguments, tool
from workspace_host.arguments import TIMEOUT_S
from workspace_host.limits import LONGEST_LOOK_S
from workspace_host.results import CommandResult


class LookAt(Arguments):
    """Which command."""

    command_id: Annotated[str, Field(min_length=1, max_length=100)]
    input: Annotated[
        str | None, Field(max_length=1_000_000, description="Written to its standard input first.")
    ] = None
    wait_s: Annotated[
        float, Field(ge=0, le=LONGEST_LOOK_S, description="For so many seconds at most, unless it ends.")
    ] = 0


@tool("command_output", family="workspace", effect=RECORDED, runs_on=RunsOn.WORKSPACE, timeout_s=TIMEOUT_S)
async def command_output(args: LookAt, commands: Commands) -> CommandResult:
    """What a command in the background wrote since you last looked, and whether it still runs. Files that it
    changed are the session's then."""
    return CommandResult.of(await commands.look(args.command_id, args.wait_s, args.input))
