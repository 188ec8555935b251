"""of this session"""

from typing import Annotated

from pydantic import Field

from agent_contracts.api.state import Operation
from agent_contracts.entities.agent_texts import notepad_of
from agent_domain.text_edits import TextEdit
from agent_platform.log.storable_text import storable
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import PURE, RECORDED, Arguments, Result, tool
from tool_runner.agent.edit_arguments import TextEditArguments


class ReadNotepad(Arguments):
    """Nothing to say."""


class Notepad(Result):
    """The notepad and its version; version 0: nothing was written yet."""

    content: str
    version: int


@tool("read_notepad", family="notepad", effect=PURE)
async def read_notepad(args: ReadNotepad, texts: AgentTexts, call: CallContext) -> Notepad:
    """Read this session's notepad, with its version."""
    found = await texts.read(notepad_of(call.session_id))
    return Notepad(content=found.text, version=found.version)


class UpdateNotepad(TextEditArguments):
    """Which edit."""


class UpdatedNotepad(Result):
    """The version that the notepad has now; an edit that changed nothing leaves it."""

    version: int


@tool("update_notepad", family="notepad", effect=RECORDED, always_sent=True)
async def update_notepad(args: UpdateNotepad, texts: AgentTexts, call: CallContext) -> UpdatedNotepad:
    """Change a part of this session's notepad."""
    return UpdatedNotepad(version=await texts.edit(notepad_of(call.session_id), args.edit))


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
