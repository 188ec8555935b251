"""`peer_consult`: a message to another agent."""

from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_tools.context import CallContext
from agent_tools.ports.outside import AgentDelegates, AgentEgress
from agent_tools.text import Text
from agent_tools.tool import EXTERNAL, Arguments, tool
from foldline_protoagent.delegates.asking import answer_of


class PeerConsult(Arguments):
    """Whom, and what."""

    name: Annotated[str, Field(min_length=1, max_length=64, description="As peer_list says it.")]
    message: Annotated[str, Field(min_length=1, max_length=50_000, description="All that it needs.")]
    skill: Annotated[str, Field(max_length=200, description="Which of its skills is meant.")] = ""


@tool(
    "peer_consult", family="delegates", effect=EXTERNAL, timeout_s=300, source="peer", needs=("delegate:a2a",)
)
async def peer_consult(
    args: PeerConsult, call: CallContext, delegates: AgentDelegates, egress: AgentEgress
) -> Text:
    """Send a message to another agent (A2A) that the user named, and wait for its answer."""
    peers = [one for one in await delegates.list() if one.type == "a2a"]
    peer = next((one for one in peers if one.name == args.name), None)
    if peer is None:
        known = ", ".join(one.name for one in peers) or "(none)"
        raise Rejected(
            f"Error: unknown peer {args.name!r}. Available: {known}.", kind=ErrorKind.NOT_FOUND, path="/name"
        )
    message = f"[skill: {args.skill}]\n{args.message}" if args.skill.strip() else args.message
    return Text(text=await answer_of(peer, message, call, egress))
