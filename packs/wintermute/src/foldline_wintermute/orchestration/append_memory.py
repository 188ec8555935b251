"""`append_memory`: one fact more."""

from typing import Annotated

from pydantic import Field

from agent_contracts.api.state import Operation
from agent_domain.text_edits import TextEdit
from agent_platform.log.storable_text import storable_text
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_wintermute.orchestration.memories import LONGEST_ENTRY, MEMORIES, Remembered, check_room


class AppendMemory(Arguments):
    """What to remember."""

    entry: Annotated[str, Field(min_length=1, max_length=LONGEST_ENTRY, description="One fact or note.")]


@tool("append_memory", family="orchestration", effect=RECORDED, always_sent=True)
async def append_memory(args: AppendMemory, texts: AgentTexts) -> Remembered:
    """Append a fact to your memories: for what you learn from day to day. What is there twice is merged at
    night."""
    before = (await texts.read(MEMORIES)).text
    added = ("\n" if before and not before.endswith("\n") else "") + storable_text(args.entry)
    check_room(len(before) + len(added))
    await texts.edit(MEMORIES, TextEdit(Operation.APPEND, added))
    return Remembered(status="ok", total_chars=len((await texts.read(MEMORIES)).text))
