"""What the pack is, and which of its tools are core tools under another name."""

from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import StandsIn
from agent_tools.pack import Alias, EngineTool, PackDeclaration
from agent_tools.tool import Arguments
from foldline_protoagent.delegates.shapes import DelegateTo


class AskHuman(Arguments):
    """What to ask."""

    question: Annotated[str, Field(min_length=1, description="One question, which stands by itself.")]


PACK = PackDeclaration(
    title="protoAgent",
    purpose="Notes that you share, a long memory, a board of things to do, an inbox, GitHub, Discord, other "
    "agents.",
    prompt=(
        "What the user wants remembered across sessions, keep with memory_ingest, and look with "
        "memory_recall before you answer from general knowledge; what happened today goes into daily_log. "
        "Notes in tabs are the user's: write there only what they ask for. Work of several steps is planned "
        "on the board (beads_*). Look into check_inbox when the user asks what is new. Compute times with "
        "current_time and numbers with calculator instead of guessing."
    ),
    engine_tools=(
        EngineTool(
            "delegate_in_background",
            "delegates",
            "Hand a question or a task to another agent or model, and don't wait for its answer.",
            DelegateTo,
            stands_in=StandsIn("delegate_to", "background"),
        ),
    ),
    aliases=(
        Alias(
            name="ask_human",
            family="asking",
            description="Ask the user what only they can decide or tell, and wait for the answer. Not to "
            'report or to chat. Gives {"answer": "...", "from_options": false}.',
            arguments=AskHuman,
            of="ask_user",
            sends={"question": "$question"},
            gives="$result",
        ),
    ),
)
