"""`update_memories`: all of them anew."""

from typing import Annotated

from pydantic import Field

from agent_contracts.api.state import Operation
from agent_domain.text_edits import TextEdit
from agent_platform.log.storable_text import storable_text
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_wintermute.orchestration.memories import MEMORIES, Remembered, check_room


class UpdateMemories(Arguments):
    """What you know from now on."""

    content: Annotated[str, Field(description="All of it: what you leave out is gone.")]


@tool("update_memories", family="orchestration", effect=RECORDED)
async def update_memories(args: UpdateMemories, texts: AgentTexts) -> Remembered:
    """Overwrite your memories: to bring them in order or take something out. To add a fact, use
    append_memory. Earlier versions are kept."""
    text = storable_text(args.content)
    check_room(len(text))
    await texts.edit(MEMORIES, TextEdit(Operation.REPLACE, text))
    return Remembered(status="ok", total_chars=len(text))
