"""`delegate_to`, where it names a coding agent: that one is in the workspace."""

from agent_contracts.errors import Rejected
from agent_contracts.tool_spec import StandsIn
from agent_platform.process.clock import Clock
from agent_tools.context import CallContext
from agent_tools.ports.outside import AgentDelegates, CallPolicy, Commands
from agent_tools.text import Text
from agent_tools.tool import EXTERNAL, Pause, tool
from foldline_protoagent.coding_agents.coding import TIMEOUT_S, WORKSPACE, Coding
from foldline_protoagent.coding_agents.line import RUNS_COMMANDS
from foldline_protoagent.delegates.asking import require_delegate
from foldline_protoagent.delegates.shapes import DelegateTo


@tool(
    "delegate_to_coder",
    family="delegates",
    effect=EXTERNAL,
    runs_on=WORKSPACE,
    timeout_s=TIMEOUT_S,
    source="peer",
    needs=("delegate:acp",),
    alias_of=RUNS_COMMANDS,
    stands_in=StandsIn("delegate_to", "target", delegate="acp"),
)
async def delegate_to_coder(  # noqa: PLR0913 — its ports
    args: DelegateTo,
    call: CallContext,
    delegates: AgentDelegates,
    commands: Commands,
    policy: CallPolicy,
    clock: Clock,
) -> Text | Pause:
    """Hand a task to a coding agent that the user named, and wait until it is done."""
    coding = Coding(call, commands, policy, clock)
    try:
        coder = require_delegate([one for one in await delegates.list() if one.type == "acp"], args.target)
    except Rejected:
        await coding.give_up()
        raise
    return await coding.done_by(coder, args.query)
