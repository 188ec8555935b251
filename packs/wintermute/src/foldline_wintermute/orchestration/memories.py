"""Tools of what the agent remembers."""

from typing import Annotated

from pydantic import Field

from agent_contracts.api.state import Operation
from agent_contracts.entities.agent_texts import AgentTextSpec
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import ErrorKind, Rejected
from agent_domain.text_edits import TextEdit
from agent_platform.log.storable_text import storable_text
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import RECORDED, Arguments, Result, tool

MEMORIES = AgentTextSpec(EntityKind.NOTES, "memories")
LONGEST_ENTRY = 4_000
"""Characters."""
MOST = 200_000
"""Characters of all of them."""


class MemoryReceipt(Result):
    """How much there is now."""

    status: str
    total_chars: int


def check_room(total: int) -> None:
    """`Rejected(kind="too_large")` where there would be more than is kept."""
    if total > MOST:
        raise Rejected(
            f"the memories would have {total:,} characters, and {MOST:,} are kept: nothing was written. "
            "Merge entries with update_memories first",
            kind=ErrorKind.TOO_LARGE,
        )


class AppendMemory(Arguments):
    """What to remember."""

    entry: Annotated[str, Field(min_length=1, max_length=LONGEST_ENTRY, description="One fact or note.")]


@tool("append_memory", family="orchestration", effect=RECORDED, always_sent=True)
async def append_memory(args: AppendMemory, texts: AgentTexts) -> MemoryReceipt:
    """Append a fact to your memories: for what you learn from day to day. What is there twice is merged at
    night."""
    before = (await texts.read(MEMORIES)).text
    added = ("\n" if before and not before.endswith("\n") else "") + storable_text(args.entry)
    check_room(len(before) + len(added))
    await texts.edit(MEMORIES, TextEdit(Operation.APPEND, added))
    return MemoryReceipt(status="ok", total_chars=len((await texts.read(MEMORIES)).text))


class UpdateMemories(Arguments):
    """What you know from now on."""

    content: Annotated[str, Field(description="All of it: what you leave out is gone.")]


@tool("update_memories", family="orchestration", effect=RECORDED)
async def update_memories(args: UpdateMemories, texts: AgentTexts) -> MemoryReceipt:
    """Overwrite your memories: to bring them in order or take something out. To add a fact, use
    append_memory. Earlier versions are kept."""
    text = storable_text(args.content)
    check_room(len(text))
    await texts.edit(MEMORIES, TextEdit(Operation.REPLACE, text))
    return MemoryReceipt(status="ok", total_chars=len(text))
