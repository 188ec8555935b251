"""What the pack is, which of its tools are core tools under another name, and what people may set of it."""

from typing import Annotated, Literal

from pydantic import Field

from agent_contracts.packs import PackSwitch
from agent_contracts.tool_spec import StandsIn
from agent_tools.pack import Alias, EngineTool, PackDeclaration
from agent_tools.tool import Arguments
from foldline_protoagent.delegates import DelegateTo


class AskHuman(Arguments):
    """What to ask."""

    question: Annotated[str, Field(min_length=1, description="One question, which stands by itself.")]


class ProtoAgentSettings(Arguments):
    """The settings of protoAgent that say which tools an agent has, under the names that they have there."""

    tools_disabled: Annotated[list[str], Field(max_length=100)] = Field(
        default=[],
        alias="tools.disabled",
        description="Tools of this pack that the agent doesn't have: one name or pattern per line, such as "
        "calculator or beads_*.",
    )
    knowledge: bool = Field(
        default=True, alias="middleware.knowledge", description="The memory tools and daily_log."
    )
    scheduler: bool = Field(
        default=True,
        alias="middleware.scheduler",
        description="schedule_task, list_schedules and cancel_schedule.",
    )
    plugins_disabled: list[Literal["coding_agent", "delegates", "discord", "github"]] = Field(
        default=[], alias="plugins.disabled", description="Plugins whose tools the agent doesn't have."
    )


SWITCHES = (
    PackSwitch("tools.disabled"),
    PackSwitch("middleware.knowledge", {"false": ("memory_*", "daily_log")}),
    PackSwitch("middleware.scheduler", {"false": ("schedule_task", "list_schedules", "cancel_schedule")}),
    PackSwitch(
        "plugins.disabled",
        {
            "coding_agent": ("code_with",),
            "delegates": ("delegate_*",),
            "discord": ("discord_*",),
            "github": ("github_*",),
        },
    ),
)

PACK = PackDeclaration(
    title="protoAgent",
    purpose="Notes that you share, a long memory, a board of things to do, an inbox, GitHub, Discord, other "
    "agents.",
    prompt=(
        "What the user wants remembered across sessions, keep with memory_ingest. Look with memory_recall "
        "before you answer from general knowledge. What happened today goes into daily_log. "
        "Notes in tabs are the user's: write there only what they ask for. Work of several steps is planned "
        "on the board (beads_*). Look into check_inbox when the user asks what is new. Compute times with "
        "current_time instead of guessing. Compute numbers with calculator instead of guessing."
    ),
    settings=ProtoAgentSettings,
    switches=SWITCHES,
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
