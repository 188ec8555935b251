"""`memory_stats`: how much is remembered."""

from agent_tools.ports.database import AgentDatabase
from agent_tools.text import Text
from agent_tools.tool import PURE, Arguments, tool
from foldline_protoagent.memory.chunks import counts


class MemoryStats(Arguments):
    """Nothing."""


@tool("memory_stats", family="memory", effect=PURE)
async def memory_stats(args: MemoryStats, database: AgentDatabase) -> Text:
    """Tell how many chunks you remembered, by domain and in all."""
    domains = await counts(database)
    if not domains:
        return Text(text="Knowledge store is empty.")
    total = sum(count for _, count in domains)
    return Text(text="\n".join([f"Total: {total}", *(f"  {name}: {count}" for name, count in domains)]))
