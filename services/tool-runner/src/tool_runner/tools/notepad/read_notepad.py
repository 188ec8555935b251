"""`read_notepad`: what this session has written down, as it stands now."""

from agent_contracts.entities.agent_texts import notepad_of
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import PURE, Arguments, Result, tool


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
