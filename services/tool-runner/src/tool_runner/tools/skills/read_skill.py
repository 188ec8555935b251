"""`read_skill`: all of it."""

from agent_contracts.kinds.skill import SKILL
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, tool
from tool_runner.definitions.arguments import ListedSwitchable, Named
from tool_runner.definitions.operations import read


class Skill(ListedSwitchable):
    """The skill."""

    tags: list[str]
    content: str


@tool("read_skill", family="skills", effect=PURE, always_sent=True)
async def read_skill(args: Named, definitions: AgentDefinitions) -> Skill:
    """Read a skill of yours whole."""
    return await read(SKILL, args, Skill, definitions)
