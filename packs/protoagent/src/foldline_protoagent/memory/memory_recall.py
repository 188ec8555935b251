"""`memory_recall`: find what was remembered."""

from typing import Annotated

from pydantic import AfterValidator, Field

from agent_tools.ports.database import AgentDatabase
from agent_tools.text import Text
from agent_tools.tool import PURE, Arguments, tool
from foldline_protoagent.memory.chunks import recalled

_MOST = 50


class MemoryRecall(Arguments):
    """What to look for."""

    query: Annotated[str, Field(max_length=2_000, description="Words of it; any of them may match.")]
    k: Annotated[
        int, AfterValidator(lambda k: max(1, min(k, _MOST))), Field(description="At most so many, 1 to 50.")
    ] = 5


@tool("memory_recall", family="memory", effect=PURE)
async def memory_recall(args: MemoryRecall, database: AgentDatabase) -> Text:
    """Find what you remembered, best match first, one a line. Look here before you answer from what you know
    in general."""
    found = await recalled(database, args.query, args.k)
    return Text(text="\n".join(chunk.line for chunk in found) or "No matches.")
