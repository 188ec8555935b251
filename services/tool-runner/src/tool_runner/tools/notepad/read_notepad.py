"""`read_notepad`: what this session has written down, as it stands now."""

from agent_contracts.agent_texts import notepad_of
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.tool import Arguments, Result, tool


class ReadNotepad(Arguments):
    """Nothing to say."""


class Notepad(Result):
    """The notepad and its version; version 0: nothing was written yet."""

    content: str
    version: int


@tool("read_notepad", family="notepad", effect=Effect.PURE)
async def read_notepad(args: ReadNotepad, ctx: ToolContext) -> Notepad:
    """Read this session's notepad, with its version."""
    found = await ctx.texts.read(notepad_of(ctx.session_id))
    return Notepad(content=found.text, version=found.version)
