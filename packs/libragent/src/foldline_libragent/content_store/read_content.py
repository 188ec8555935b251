"""`readContent`: what a content says."""

from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_tools.context import CallContext
from agent_tools.ports.database import AgentDatabase
from agent_tools.tool import PURE, Arguments, Result, tool
from foldline_libragent.content_store.contents import Contents
from foldline_libragent.content_store.shapes import ContentId


class ReadContent(Arguments):
    """Which one, and which lines of it."""

    content_id: ContentId
    from_line: Annotated[int, Field(ge=1, description="From 1.")] = 1
    to_line: Annotated[int | None, Field(ge=1, description="Included; else to the end.")] = None


class ReadLines(Result):
    """The lines from `from_line` to `to_line`, of `lines` that there are."""

    content_id: str
    text: str
    from_line: int
    to_line: int
    lines: int


@tool("readContent", family="content_store", effect=PURE, timeout_s=60)
async def read_content(args: ReadContent, database: AgentDatabase, call: CallContext) -> ReadLines:
    """Read a content, whole or some lines of it."""
    contents = Contents(database, call)
    stored = await contents.content(args.content_id)
    last = min(args.to_line or stored.lines, stored.lines)
    if args.from_line > last:
        message = f"there is no line from {args.from_line} to {last}: it has {stored.lines}"
        raise Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path="/from_line")
    lines = (await contents.text(stored)).split("\n")[args.from_line - 1 : last]
    return ReadLines(
        content_id=args.content_id,
        text="\n".join(lines),
        from_line=args.from_line,
        to_line=last,
        lines=stored.lines,
    )
