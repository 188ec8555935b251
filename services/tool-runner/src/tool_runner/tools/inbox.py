"""from other services"""

from typing import Annotated

from pydantic import Field

from agent_contracts.json_value import Json
from agent_contracts.wakes import InboxItem, Priority
from agent_tools.tool import RECORDED, Arguments, Result, tool
from tool_runner.agent.inbox import AgentInbox


class CheckInbox(Arguments):
    """Which to take."""

    priority_floor: Annotated[
        Priority, Field(description="Only what is at least so urgent; `later`: everything.")
    ] = "later"
    limit: Annotated[int, Field(ge=1, le=50, description="At most so many, the oldest first.")] = 10


class InboxWakeResult(Result):
    """A wake: which service left it, when, and what it says."""

    source: str
    at: str
    priority: Priority
    message: str
    data: Json


class TakenFromInbox(Result):
    """What was taken, and how many are still there, of any priority."""

    items: list[InboxWakeResult]
    left: int


@tool("check_inbox", family="inbox", effect=RECORDED, source="wake")
async def check_inbox(args: CheckInbox, inbox: AgentInbox) -> TakenFromInbox:
    """Take the messages that other services left in your inbox to be looked at later. What you take is gone
    from it: deal with it, or note it down."""
    taken, left = await inbox.take(args.priority_floor, args.limit)
    return TakenFromInbox(items=[_left(one) for one in taken], left=left)


def _left(item: InboxItem) -> InboxWakeResult:
    return InboxWakeResult(
        source=item.source, at=item.at, priority=item.priority, message=item.message, data=item.data
    )
