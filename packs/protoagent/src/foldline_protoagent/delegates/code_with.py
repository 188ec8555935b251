"""`code_with`: a task for a coding agent in the workspace."""

from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_platform.process.clock import Clock
from agent_tools.context import CallContext
from agent_tools.ports.outside import AgentDelegates, CallPolicy, Commands
from agent_tools.text import Text
from agent_tools.tool import EXTERNAL, Arguments, Pause, tool
from foldline_protoagent.coding_agents.coding import TIMEOUT_S, WORKSPACE, Coding
from foldline_protoagent.coding_agents.line import RUNS_COMMANDS


class CodeWith(Arguments):
    """Who, and what."""

    agent: Annotated[str, Field(min_length=1, max_length=64, description="The coding agent's name.")]
    task: Annotated[
        str,
        Field(min_length=1, max_length=50_000, description="All that it needs, besides the session's files."),
    ]


@tool(
    "code_with",
    family="delegates",
    effect=EXTERNAL,
    runs_on=WORKSPACE,
    timeout_s=TIMEOUT_S,
    source="peer",
    needs=("delegate:acp",),
    alias_of=RUNS_COMMANDS,
)
async def code_with(  # noqa: PLR0913 — its ports
    args: CodeWith,
    call: CallContext,
    delegates: AgentDelegates,
    commands: Commands,
    policy: CallPolicy,
    clock: Clock,
) -> Text | Pause:
    """Let a coding agent (ACP) that the user named work on this session's files, and wait until it is done.
    What it changed are the session's files afterwards."""
    coders = [one for one in await delegates.list() if one.type == "acp"]
    coder = next((one for one in coders if one.name == args.agent), None)
    coding = Coding(call, commands, policy, clock)
    if coder is None:
        await coding.give_up()
        known = ", ".join(one.name for one in coders) or "(none)"
        raise Rejected(
            f"Error: unknown coding agent {args.agent!r}. Available: {known}.",
            kind=ErrorKind.NOT_FOUND,
            path="/agent",
        )
    return await coding.done_by(coder, args.task)
