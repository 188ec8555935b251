"""`check_inbox`: take what other services left."""

from typing import Annotated

from pydantic import Field

from agent_contracts.json_value import Json
from agent_tools.tool import RECORDED, Arguments, Result, tool
from tool_runner.agent.inbox import AgentInbox


class CheckInbox(Arguments):
    """How many to take."""

    limit: Annotated[int, Field(ge=1, le=50, description="At most so many, the oldest first.")] = 10


class Left(Result):
    """A wake: which service left it, when, and what it says."""

    source: str
    at: str
    message: str
    data: Json


class TakenFromInbox(Result):
    """What was taken, and how many are still there."""

    items: list[Left]
    left: int


@tool("check_inbox", family="inbox", effect=RECORDED, source="service")
async def check_inbox(args: CheckInbox, inbox: AgentInbox) -> TakenFromInbox:
    """Take the messages that other services left in your inbox to be looked at later. What you take is gone
    from it: deal with it, or note it down."""
    taken, left = await inbox.take(args.limit)
    return TakenFromInbox(
        items=[Left(source=one.source, at=one.at, message=one.message, data=one.data) for one in taken],
        left=left,
    )
