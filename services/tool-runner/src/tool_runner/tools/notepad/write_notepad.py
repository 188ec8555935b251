"""`write_notepad`: everything anew."""

from typing import Annotated

from pydantic import Field

from agent_contracts.api.state import Operation
from agent_contracts.entities.agent_texts import notepad_of
from agent_domain.text_edits import TextEdit
from agent_platform.log.storable_text import storable
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import RECORDED, Arguments, Result, tool


class WriteNotepad(Arguments):
    """What to write."""

    content: Annotated[str, Field(description="The whole notepad from now on; empty clears it.")]


class WrittenNotepad(Result):
    """The version that the notepad has now; writing what it says already leaves it."""

    version: int


@tool("write_notepad", family="notepad", effect=RECORDED)
async def write_notepad(args: WriteNotepad, texts: AgentTexts, call: CallContext) -> WrittenNotepad:
    """Replace this session's notepad.

    Use it to keep in view what you need until the session ends: the plan, what is done, what you found. You
    see it at every step, also after older messages were summed up and taken out of your view.
    """
    edit = TextEdit(Operation.REPLACE, content=storable(args.content))
    return WrittenNotepad(version=await texts.edit(notepad_of(call.session_id), edit))
