"""`daily_log`: remember what happened today."""

from datetime import UTC

from agent_platform.process.clock import Clock
from agent_tools.context import CallContext
from agent_tools.ports.database import AgentDatabase
from agent_tools.text import Text
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_protoagent.memory.chunks import DAILY_LOG, Content, stored


class DailyLog(Arguments):
    """What happened."""

    content: Content


@tool("daily_log", family="memory", effect=RECORDED)
async def daily_log(args: DailyLog, call: CallContext, clock: Clock, database: AgentDatabase) -> Text:
    """Add an entry to the log of today (UTC), in the domain daily-log. A day has any number of them."""
    at = (call.requested_at or clock.now()).astimezone(UTC)
    chunk = (args.content, at.date().isoformat(), DAILY_LOG)
    return Text(text=await stored(database, chunk, at, replace=False))
