"""what other systems left"""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from agent_contracts.tool_spec import CoreTool
from agent_contracts.wakes import PERSON, Priority
from agent_tools.core_tools import core_result
from agent_tools.ports.running import OtherTools
from agent_tools.text import TextResult
from agent_tools.tool import RECORDED, Arguments, tool

_MOST = 50


class ProtoagentCheckInbox(Arguments):
    """Which to take."""

    priority_floor: Annotated[
        Priority, Field(description="Only what is at least so urgent; later: everything.")
    ] = "next"
    limit: Annotated[
        int, AfterValidator(lambda n: max(1, min(n, _MOST))), Field(description="At most so many, 1 to 50.")
    ] = 10


@tool(
    "check_inbox", family="inbox", effect=RECORDED, source="wake", alias_of=CoreTool("check_inbox", "inbox")
)
async def check_inbox(args: ProtoagentCheckInbox, tools: OtherTools) -> TextResult:
    """Take what webhooks, other systems and other agents left in your inbox, the oldest first. What you take
    counts as delivered. Look when the user asks what is new."""
    taken = await core_result(
        tools, "check_inbox", {"priority_floor": args.priority_floor, "limit": args.limit}
    )
    return TextResult(text="\n".join(map(_line, taken["items"])) or "Inbox empty.")


def _line(item: Any) -> str:
    """Whose it is says the way by which it came; what it says of itself counts where a person left it."""
    said = item["data"].get("source") if isinstance(item["data"], dict) else None
    source = said if item["source"] == PERSON else item["source"]
    begin = f"[{item['priority']}]{f' (from {source})' if source else ''}"
    return f"{begin} {' '.join(item['message'].split())}"
