"""`memory_ingest`: remember something."""

from agent_platform.process.clock import Clock
from agent_tools.context import CallContext
from agent_tools.ports.database import AgentDatabase
from agent_tools.text import Text
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_protoagent.memory.chunks import Content, Domain, Heading, stored


class MemoryIngest(Arguments):
    """What, and where it belongs."""

    content: Content
    domain: Domain = "general"
    heading: Heading | None = None


@tool("memory_ingest", family="memory", effect=RECORDED)
async def memory_ingest(args: MemoryIngest, call: CallContext, clock: Clock, database: AgentDatabase) -> Text:
    """Remember something for all sessions to come: a preference, a fact about where the user works, a
    decision. It is found again by its words."""
    chunk = (args.content, args.heading or "", args.domain)
    at = call.requested_at or clock.now()
    return Text(text=await stored(database, chunk, at, replace=True))
