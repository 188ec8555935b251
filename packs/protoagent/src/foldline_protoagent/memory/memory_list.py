"""`memory_list`: the newest that was remembered."""

from typing import Annotated

from pydantic import AfterValidator, Field

from agent_tools.ports.database import AgentDatabase
from agent_tools.text import Text
from agent_tools.tool import PURE, Arguments, tool
from foldline_protoagent.memory.chunks import Domain, newest

_MOST = 100


class MemoryList(Arguments):
    """Of what, and how many."""

    domain: Domain | None = None
    limit: Annotated[
        int, AfterValidator(lambda n: max(1, min(n, _MOST))), Field(description="At most so many, 1 to 100.")
    ] = 10


@tool("memory_list", family="memory", effect=PURE)
async def memory_list(args: MemoryList, database: AgentDatabase) -> Text:
    """List what you remembered, the newest first: all, or one domain, such as daily-log."""
    lines = [
        f"#{chunk.id} {chunk.stored_at} {chunk.line}"
        for chunk in await newest(database, args.domain, args.limit)
    ]
    return Text(text="\n".join(lines) or f"No chunks in {args.domain or 'any domain'}.")
