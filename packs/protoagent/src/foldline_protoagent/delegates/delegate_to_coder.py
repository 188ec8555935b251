"""`delegate_to`, where it names a coding agent: that one is in the workspace."""

from agent_contracts.tool_spec import StandsIn
from agent_tools.context import CallContext
from agent_tools.ports import AgentDelegates, CallPolicy, Commands
from agent_tools.text import Text
from agent_tools.tool import EXTERNAL, tool
from foldline_protoagent.delegates.asking import require_delegate
from foldline_protoagent.delegates.coding import RUNS_COMMANDS, TIMEOUT_S, WORKSPACE, done_by
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
async def delegate_to_coder(
    args: DelegateTo, call: CallContext, delegates: AgentDelegates, commands: Commands, policy: CallPolicy
) -> Text:
    """Hand a task to a coding agent that the user named, and wait until it is done."""
    coder = require_delegate([one for one in await delegates.list() if one.type == "acp"], args.target)
    return Text(text=await done_by(coder, args.query, call, commands, policy))
