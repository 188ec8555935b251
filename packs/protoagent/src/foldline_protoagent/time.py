"""what time it is"""

from typing import Annotated
from zoneinfo import ZoneInfo, available_timezones

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_platform.process.clock import Clock
from agent_tools.context import CallContext
from agent_tools.text import TextResult
from agent_tools.tool import PURE, Arguments, tool

_LONGEST_SHOWN = 80


class CurrentTime(Arguments):
    """Where."""

    timezone: Annotated[str, Field(description="IANA name, such as America/New_York.")] = "UTC"


@tool("current_time", family="time", effect=PURE)
async def current_time(args: CurrentTime, call: CallContext, clock: Clock) -> TextResult:
    """Tell the date and the time in a time zone: in ISO 8601, and in words."""
    if args.timezone not in available_timezones():
        raise Rejected(
            f"Error: unknown timezone {args.timezone[:_LONGEST_SHOWN]!r}. Use an IANA name such as UTC or "
            "America/New_York.",
            kind=ErrorKind.INVALID_ARGUMENTS,
            path="/timezone",
        )
    now = (call.requested_at or clock.now()).astimezone(ZoneInfo(args.timezone))
    words = now.strftime("%A, %B %d %Y, %H:%M:%S %Z")
    return TextResult(text=f"{now.isoformat()} ({args.timezone})\nHuman: {words}")
