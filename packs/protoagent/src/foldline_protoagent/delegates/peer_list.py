"""`peer_list`: the other agents."""

from agent_tools.ports.outside import AgentDelegates
from agent_tools.text import Text
from agent_tools.tool import PURE, Arguments, tool


class PeerList(Arguments):
    """Nothing."""


@tool("peer_list", family="delegates", effect=PURE, needs=("delegate",))
async def peer_list(args: PeerList, delegates: AgentDelegates) -> Text:
    """List the other agents (A2A) and models that the user named, and what each is for."""
    lines = [
        f"{one.name} ({one.type}){f' — {one.description}' if one.description else ''}"
        for one in await delegates.list()
    ]
    return Text(text="\n".join(lines) or "No peers.")
