"""`update_notepad`: change a part of it."""

from agent_contracts.agent_texts import notepad_of
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.edit_arguments import EditText
from tool_runner.tool import Result, tool


class UpdateNotepad(EditText):
    """Which edit."""


class UpdatedNotepad(Result):
    """The version that the notepad has now; an edit that changed nothing leaves it."""

    version: int


@tool("update_notepad", family="notepad", effect=Effect.RECORDED)
async def update_notepad(args: UpdateNotepad, ctx: ToolContext) -> UpdatedNotepad:
    """Change a part of this session's notepad and leave the rest as it is."""
    return UpdatedNotepad(version=await ctx.texts.edit(notepad_of(ctx.session_id), args.edit))
