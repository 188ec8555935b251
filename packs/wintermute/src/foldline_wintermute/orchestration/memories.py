"""The agent's memories: one text, a part of its prompt."""

from agent_contracts.entities.agent_texts import AgentText
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import ErrorKind, Rejected
from agent_tools.tool import Result

MEMORIES = AgentText(EntityKind.NOTES, "memories")
LONGEST_ENTRY = 4_000
"""Characters."""
MOST = 200_000
"""Characters of all of them."""


class Remembered(Result):
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
