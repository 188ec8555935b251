"""`delegate_to`: a question or a task for another agent or model."""

from agent_tools.context import CallContext
from agent_tools.ports.outside import AgentDelegates, AgentEgress
from agent_tools.text import Text
from agent_tools.tool import EXTERNAL, tool
from foldline_protoagent.delegates.asking import answer_of, require_delegate
from foldline_protoagent.delegates.shapes import DelegateTo


@tool("delegate_to", family="delegates", effect=EXTERNAL, timeout_s=300, source="peer", needs=("delegate",))
async def delegate_to(
    args: DelegateTo, call: CallContext, delegates: AgentDelegates, egress: AgentEgress
) -> Text:
    """Hand a question or a task to another agent or model that the user named, and wait for its answer.
    peer_list tells which agents there are; a name that there isn't is answered with all of them."""
    delegate = require_delegate(await delegates.list(), args.target)
    return Text(text=await answer_of(delegate, args.query, call, egress))
