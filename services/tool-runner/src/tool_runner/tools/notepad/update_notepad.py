"""`update_notepad`: change a part of it."""

from agent_contracts.entities.agent_texts import notepad_of
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import RECORDED, Result, tool
from tool_runner.agent.edit_arguments import EditText


class UpdateNotepad(EditText):
    """Which edit."""


class UpdatedNotepad(Result):
    """The version that the notepad has now; an edit that changed nothing leaves it."""

    version: int


@tool("update_notepad", family="notepad", effect=RECORDED, always_sent=True)
async def update_notepad(args: UpdateNotepad, texts: AgentTexts, call: CallContext) -> UpdatedNotepad:
    """Change a part of this session's notepad."""
    return UpdatedNotepad(version=await texts.edit(notepad_of(call.session_id), args.edit))
